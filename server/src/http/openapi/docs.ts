import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beginOneByOne } from '../connections.ts';
import { addressSubject, refuseFor } from '../limits.ts';
import { memoryFiles } from '../memory-files.ts';
import { sendNotFound } from '../not-found.ts';
import type { HttpParts, TypedApp } from '../typed-app.ts';
import { openApi } from './openapi.ts';

/** These responses are among the largest that anyone can request. */
const refuse = refuseFor(
	'Rate limit exceeded',
	'Too many requests for the API documentation from this address.',
	{ code: 'rate_limited' },
);

/** The share of an address's requests that may be for these, 60 by default: opening the page takes seven, of 2 MB. */
const SHARE = 1 / 10;

/** Swagger UI's files, which this package has beside it. */
const SWAGGER_UI = createRequire(import.meta.url).resolve('@fastify/swagger-ui');
const FILES = join(dirname(SWAGGER_UI), 'static');

/** The page has pictures in its styles, and needs nothing from other hosts. */
const CONTENT_SECURITY_POLICY = [
	"default-src 'self'",
	"script-src 'self'",
	"base-uri 'none'",
	"frame-ancestors 'self'",
	"img-src 'self' data:",
	"object-src 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
	<head>
		<meta charset="utf-8" />
		<title>Beckon API</title>
		<link rel="stylesheet" href="/api/docs/static/swagger-ui.css" />
		<link rel="stylesheet" href="/api/docs/static/index.css" />
		<link rel="icon" type="image/png" href="/api/docs/static/favicon-32x32.png" sizes="32x32" />
	</head>
	<body>
		<div id="swagger-ui"></div>
		<script src="/api/docs/static/swagger-ui-bundle.js"></script>
		<script src="/api/docs/static/swagger-initializer.js"></script>
	</body>
</html>
`;

/** No validator: it is an online service, which would receive the document's URL. */
const START = `SwaggerUIBundle(${JSON.stringify({
	url: '/api/openapi.json',
	dom_id: '#swagger-ui',
	deepLinking: true,
	validatorUrl: null,
})});
`;

/** GET /api/openapi.json, generated from the contract, and GET /api/docs, a page to read it. */
export function registerDocs(app: TypedApp, { limiter, config }: HttpParts): void {
	beginOneByOne(app);
	const quota = Math.ceil(config.BECKON_RATE_PER_ADDRESS * SHARE);
	app.addHook('onRequest', ({ ip }, reply) => {
		reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
		return limiter.spend([{ name: 'docs', subject: addressSubject(ip), quota }], refuse);
	});
	// All responses share its bytes.
	let document: Buffer | undefined;
	app.get('/openapi.json', (_request, reply) => {
		document ??= Buffer.from(JSON.stringify(openApi()));
		reply.type('application/json; charset=utf-8').send(document);
	});
	for (const url of ['/docs', '/docs/'])
		app.get(url, (_request, reply) => reply.type('text/html; charset=utf-8').send(PAGE));
	app.get('/docs/static/swagger-initializer.js', (_request, reply) =>
		reply.type('text/javascript; charset=utf-8').send(START),
	);
	const send = memoryFiles(FILES);
	app.get<{ Params: { '*': string } }>('/docs/static/*', (request, reply) => {
		if (!send(request, reply, request.params['*'])) sendNotFound(request, reply);
	});
}
