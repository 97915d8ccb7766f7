import type { FastifyReply, FastifyRequest } from 'fastify';
import { SENDER_PATHS } from '../contract/values.ts';

/** Paths called by programs, or by pages for pictures: they always get JSON. */
const CALLS = new RegExp(
	`^/(${['api', 'device', 'console/api', 'images', 'mcp', ...SENDER_PATHS].join('|')})(/|$)`,
);

/** For people, at an address that leads nowhere. */
export const PAGE_NOT_FOUND = `<!doctype html>
<html lang="en">
	<head>
		<meta charset="utf-8" />
		<meta name="viewport" content="width=device-width, initial-scale=1" />
		<meta name="color-scheme" content="light dark" />
		<title>Page not found · Beckon</title>
		<link rel="stylesheet" href="/phone/not-found.css" />
	</head>
	<body>
		<main>
			<img src="/phone/icons/icon-192.png" alt="" width="64" height="64" />
			<h1>Page not found</h1>
			<p>Open the <a href="/console">console</a>, or the <a href="/phone">phone’s page</a>.</p>
		</main>
	</body>
</html>
`;

/** A person who mistyped an address: browsers ask for a page, programs for anything or for JSON. */
function isPerson({ method, headers }: FastifyRequest, path: string): boolean {
	return method === 'GET' && (headers.accept ?? '').includes('text/html') && !CALLS.test(path);
}

/** Responds with 404: a page to a browser, and `{error, message}` to a program. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
	const [path = ''] = request.url.split('?', 1);
	reply.status(404);
	if (isPerson(request, path)) {
		reply
			.headers({
				'content-type': 'text/html; charset=utf-8',
				'content-security-policy':
					"default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
				'cache-control': 'no-store',
			})
			.send(PAGE_NOT_FOUND);
		return;
	}
	reply.send({
		error: 'Not Found',
		message: `No route for ${request.method} ${path}. The base URL of the API ends in /api.`,
	});
}
