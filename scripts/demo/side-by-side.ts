import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
	createServer,
	type IncomingMessage,
	type OutgoingHttpHeaders,
	request as forward,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SideBySide {
	url: string;
	close: () => void;
}

/** A user signed in to the console, by the server's Set-Cookie headers. */
export interface SignedIn {
	cookies: readonly string[];
}

const LOOPBACK = '127.0.0.1';

/**
 * Serves one page with the console and the phone side by side. The server lets no page frame its pages,
 * so they pass through here, from the page's own origin, and may be framed only by it. It listens only
 * on loopback; its address holds a secret, because anyone who opens it is signed in.
 */
export async function openSideBySide(
	serverUrl: string,
	phone: string,
	{ cookies }: SignedIn,
): Promise<SideBySide> {
	const path = `/${randomBytes(16).toString('base64url')}`;
	const phonePath = phone.slice(new URL(phone).origin.length);
	const server = createServer((request, response) => {
		if (request.headers.host !== new URL(url()).host) response.writeHead(421).end();
		else if (request.url === path) answerPage(response, phonePath, cookies);
		else passOn(serverUrl, request, response);
	});
	const url = () => `http://${LOOPBACK}:${(server.address() as AddressInfo).port}${path}`;
	server.listen(0, LOOPBACK);
	await once(server, 'listening');
	return {
		url: url(),
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

function answerPage(response: ServerResponse, phonePath: string, cookies: readonly string[]): void {
	const nonce = randomBytes(16).toString('base64url');
	response.writeHead(200, {
		'content-type': 'text/html; charset=utf-8',
		'cache-control': 'no-store',
		'content-security-policy': `default-src 'none'; frame-src 'self'; style-src 'nonce-${nonce}'; frame-ancestors 'none'`,
		'referrer-policy': 'no-referrer',
		'set-cookie': [...cookies],
	});
	response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Beckon: console and phone</title>
<style nonce="${nonce}">
	body { display: flex; height: 100vh; margin: 0; background: #14161f; }
	iframe { border: 0; height: 100%; }
	.console { flex: 1; min-width: 0; }
	.phone { flex: 0 0 440px; }
	@media (max-width: 900px) { body { flex-direction: column; } .phone { flex: 1; } }
</style>
<iframe class="console" title="Console" src="/console"></iframe>
<iframe class="phone" title="Phone" src="${phonePath}"></iframe>
</html>
`);
}

function passOn(serverUrl: string, request: IncomingMessage, response: ServerResponse): void {
	const { method, url = '/', headers } = request;
	const passed = forward(new URL(url, serverUrl), { method, headers }, (answer) => {
		response.writeHead(answer.statusCode ?? 502, framable(answer.headers));
		answer.pipe(response);
	});
	// An event stream ends here when its reader or the server has gone.
	response.on('close', () => passed.destroy());
	passed.on('error', () => response.destroy());
	request.pipe(passed);
}

/** The same headers, except that this origin may frame the page. */
function framable(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
	const { 'x-frame-options': _frame, 'content-security-policy': policy, ...others } = headers;
	if (policy === undefined) return others;
	return {
		...others,
		'content-security-policy': String(policy).replace(
			"frame-ancestors 'none'",
			"frame-ancestors 'self'",
		),
	};
}
