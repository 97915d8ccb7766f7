import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request that a node sent, and the service's answer. */
export interface Exchange {
	method: string;
	/** Relative to the base URL. */
	path: string;
	body: unknown;
	status: number;
	answer: Record<string, unknown>;
}

/** A call of a webhook button. */
export interface HookCall {
	path: string;
	body: unknown;
}

export interface Wire {
	/** The base URL for the nodes; their requests are forwarded to the server. */
	baseUrl: string;
	/** The target of the demo's webhook buttons. */
	hooksUrl: string;
	/** The exchanges since the last call. */
	take: () => Exchange[];
	onHook: (listener: (call: HookCall) => void) => void;
	close: () => void;
}

const parse = (body: string): unknown => (body === '' ? undefined : JSON.parse(body));

/** Forwards requests between n8n and the server, so the demo can show what each node really sent. */
export async function openWire(serverUrl: string): Promise<Wire> {
	const exchanges: Exchange[] = [];
	const listeners: Array<(call: HookCall) => void> = [];

	async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = 'GET', url = '/' } = request;
		const body = await text(request);
		const { authorization = '' } = request.headers;
		const answered = await fetch(`${serverUrl}${url}`, {
			method,
			headers: { authorization, ...(body !== '' && { 'content-type': 'application/json' }) },
			...(body !== '' && { body }),
		});
		const answer = await answered.text();
		exchanges.push({
			method,
			path: url.replace(/^\/api/, ''),
			body: parse(body),
			status: answered.status,
			answer: parse(answer) as Record<string, unknown>,
		});
		const kept = ['content-type', 'ratelimit', 'ratelimit-policy', 'retry-after'];
		const headers = kept.flatMap((name) => {
			const value = answered.headers.get(name);
			return value === null ? [] : [[name, value] as const];
		});
		response.writeHead(answered.status, Object.fromEntries(headers)).end(answer);
	}

	async function hook(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const call = { path: request.url ?? '/', body: parse(await text(request)) };
		for (const listener of listeners) listener(call);
		response.end('{}');
	}

	const wire = createServer((request, response) => {
		const handled = request.url?.startsWith('/hooks/')
			? hook(request, response)
			: forward(request, response);
		handled.catch((error: unknown) => response.destroy(error as Error));
	});
	wire.listen(0, '127.0.0.1');
	await once(wire, 'listening');
	const origin = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
	return {
		baseUrl: `${origin}/api`,
		hooksUrl: `${origin}/hooks`,
		take: () => exchanges.splice(0),
		onHook: (listener) => listeners.push(listener),
		close: () => {
			wire.close();
			wire.closeAllConnections();
		},
	};
}
