import { STATUS_CODES } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { IMAGE_BODIES } from '../../contract/images.ts';
import { memoryFiles } from '../memory-files.ts';
import { answerNotFound } from '../not-found.ts';
import { addressSubject, type HttpParts, refuseFor } from '../limits.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import { BUTTON_WEBHOOKS } from './button-webhook.ts';
import { tidyComponents } from './tidy-components.ts';

const DESCRIPTION =
	'Sends what a workflow knows to the phones of an account: push notifications, the app icon badge, ' +
	'Live Activities and lock-screen metrics. Every answer carries RateLimit, RateLimit-Policy and X-Request-Id headers.';

const KEY =
	'An API key of the account, created in the console. Its scope decides which devices it reaches; all keys of an account share its rate limits.';

interface Operation {
	requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> };
	responses?: Record<string, { description: string; headers?: Record<string, { $ref: string }> }>;
}

/** Headers of every answer, or of those with one status (docs/api-decisions.md "Rate limits"). */
const ANSWER_HEADERS = {
	'RateLimit-Policy': {
		description:
			'The policies that apply, a list of structured fields (RFC 9651): the name of each, its quota q and its window w in seconds.',
		schema: { type: 'string' },
		example: '"public-api-ip:badges";q=600;w=60, "account:badges";q=60;w=60',
	},
	RateLimit: {
		description:
			'What is left of each policy: r requests, and t seconds until it resets. Without a valid API key, only the policy of the client address.',
		schema: { type: 'string' },
		example: '"public-api-ip:badges";r=599;t=60, "account:badges";r=59;t=60',
	},
	'X-Request-Id': {
		description: "Identifies the request in the server's log.",
		schema: { type: 'string' },
		example: '0f8b6f0e-6a53-4d0f-9d0c-3a1f6a5f5c1e',
	},
	'Retry-After': {
		description:
			'Seconds until every exhausted policy has reset. Not sent when the devices have no room for another Live Activity.',
		schema: { type: 'integer', minimum: 0 },
	},
	'WWW-Authenticate': {
		description: 'How to authenticate.',
		schema: { type: 'string', enum: ['Bearer'] },
	},
} satisfies Record<string, OpenAPIV3_1.HeaderObject>;

type HeaderName = keyof typeof ANSWER_HEADERS;

const ONLY_WITH_STATUS: Partial<Record<HeaderName, string>> = {
	'Retry-After': '429',
	'WWW-Authenticate': '401',
};

function toHeaders(status: string): Record<string, { $ref: string }> {
	return Object.fromEntries(
		(Object.keys(ANSWER_HEADERS) as HeaderName[])
			.filter((name) => (ONLY_WITH_STATUS[name] ?? status) === status)
			.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
	);
}

/** Describes a nullable body as an optional one. */
function describeOptionalBody(operation: Operation): void {
	const { requestBody } = operation;
	const json = requestBody?.content['application/json'];
	const { anyOf } = (json?.schema ?? {}) as { anyOf?: Array<{ type?: string }> };
	const isNull = (schema: { type?: string }) => schema.type === 'null';
	if (!requestBody || !json || !anyOf?.some(isNull)) return;
	requestBody.required = false;
	json.schema = anyOf.find((schema) => !isNull(schema));
}

/** Describes the body of POST /images, which is not JSON. */
function describePicture(operation: Operation | undefined): void {
	if (!operation) return;
	operation.requestBody = {
		required: true,
		content: Object.fromEntries(IMAGE_BODIES.map((type) => [type, { schema: {} }])),
	};
}

/** Adds to each operation what the generator cannot know. */
function finish<T extends Parameters<typeof tidyComponents>[0]>(document: T): T {
	const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>;
	describePicture(paths['/images']?.['post']);
	for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
		describeOptionalBody(operation);
		for (const [status, response] of Object.entries(operation.responses ?? {})) {
			response.description = STATUS_CODES[status] ?? status;
			response.headers = toHeaders(status);
		}
	}
	return tidyComponents(document);
}

/** These answers are among the largest that anyone may ask for. */
const refuse = refuseFor(
	'Rate limit exceeded',
	"The API's documents are fetched too often from this address.",
	{ code: 'rate_limited' },
);

const PACKAGE_OF_PAGE = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui'));

/** GET /api/openapi.json, generated from the contract, and GET /api/docs, a page to read it. */
export async function registerOpenApi(
	app: TypedApp,
	{ limiter, rateLimits }: HttpParts,
): Promise<void> {
	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: {
				title: 'Beckon',
				version: '1.0.0',
				description: DESCRIPTION,
				license: { name: 'MIT' },
			},
			servers: [{ url: '/api' }],
			webhooks: BUTTON_WEBHOOKS,
			components: {
				headers: ANSWER_HEADERS,
				securitySchemes: {
					apiKey: { type: 'http', scheme: 'bearer', description: KEY },
				},
			},
		},
		stripBasePath: true,
		hideUntagged: true,
		transform: (route) => {
			const { schema, url } = jsonSchemaTransform(route);
			return { schema: { ...schema, security: [{ apiKey: [] }] }, url };
		},
		transformObject: (document) =>
			'openapiObject' in document
				? finish(jsonSchemaTransformObject(document))
				: document.swaggerObject,
	});
	let document: Buffer | undefined;
	// All answers share its bytes.
	const sendDocument = (_request: FastifyRequest, reply: FastifyReply) => {
		document ??= Buffer.from(JSON.stringify(app.swagger()));
		reply.type('application/json; charset=utf-8').send(document);
	};
	await app.register(
		plugin('docs', (docs) => {
			docs.addHook('onRequest', ({ ip }) => {
				const subject = addressSubject(ip);
				return limiter.spend([{ name: 'docs', subject, quota: rateLimits.perAddress }], refuse);
			});
			docs.get('/openapi.json', { schema: { hide: true } }, sendDocument);
			return registerDocs(docs, sendDocument);
		}),
	);
}

/** The page, without the package's own way to answer: a file opened, or a text built, for each request. */
async function registerDocs(
	app: TypedApp,
	sendDocument: (request: FastifyRequest, reply: FastifyReply) => void,
): Promise<void> {
	const send = memoryFiles(join(PACKAGE_OF_PAGE, 'static'));
	app.addHook('onRequest', (request, reply, done) => {
		const { '*': name } = request.params as { '*'?: string };
		const { url = '' } = request.routeOptions;
		if (name !== undefined && send(request, reply, name)) return;
		if (url.endsWith('/docs/json')) sendDocument(request, reply);
		else if (url.endsWith('/docs/yaml')) answerNotFound(request, reply);
		else done();
	});
	await app.register(swaggerUi, {
		routePrefix: '/docs',
		// Without it, the page finds its scripts only at /api/docs/, not at /api/docs.
		indexPrefix: '/api',
		staticCSP: true,
		theme: {
			title: 'Beckon API',
			// The bar at the top could load the document of any other server.
			css: [{ filename: 'beckon.css', content: '.swagger-ui .topbar { display: none }' }],
		},
		// No badge of a service that would be sent the document's URL.
		uiConfig: { validatorUrl: null },
		// A home server is often reached by plain http; the upgrade would leave its page empty. The page needs
		// nothing from other hosts.
		transformStaticCSP: (policy) =>
			policy.replaceAll(/ (upgrade-insecure-requests;|https:|validator\.swagger\.io)/g, ''),
	});
}
