import { once } from 'node:events';
import {
	createServer,
	request,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { Certificate } from '../../server/test/gateways/support/certificate.ts';

/**
 * What happens to a request on its way: a status that something before the server answers with, a
 * wait before it goes further, or a connection that breaks before the request has reached the server,
 * or before the answer came back.
 */
export type Mishap =
	| { status: number; retryAfter?: number }
	| { heldUntil: Promise<void> }
	| 'request lost'
	| 'answer lost';

/** Decides about each request; `nth` counts those to its path from 1. */
export type Disturbance = (nth: number) => Mishap | undefined;

/** Stands between a node and the server, and sees, or disturbs, what passes. */
export class TestProxy {
	/** Answers of the server with status 429. */
	refusals = 0;

	private readonly counts = new Map<string, number>();

	private mishapOf: Disturbance = () => undefined;

	private readonly server: Server;

	private readonly target: string;

	private readonly protocol: string;

	private constructor(server: Server, target: string, protocol: string) {
		this.server = server;
		this.target = target;
		this.protocol = protocol;
	}

	/**
	 * @param target the server's address
	 * @param tls for a proxy that is called by https
	 */
	static async start(target: string, tls?: Certificate): Promise<TestProxy> {
		const server = tls
			? createTlsServer({ cert: tls.cert, key: tls.key.export({ type: 'pkcs8', format: 'pem' }) })
			: createServer();
		const proxy = new TestProxy(server, target, tls ? 'https' : 'http');
		server.on('request', (incoming, outgoing) => proxy.pass(incoming, outgoing));
		await once(server.listen(0, '127.0.0.1'), 'listening');
		return proxy;
	}

	get url(): string {
		return `${this.protocol}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Disturbs the requests from now on, and begins to count anew. */
	disturb(mishapOf: Disturbance): void {
		this.mishapOf = mishapOf;
		this.counts.clear();
	}

	/** How many requests came to a path. */
	count(path: string): number {
		return this.counts.get(path) ?? 0;
	}

	stop(): void {
		this.server.close();
		this.server.closeAllConnections();
	}

	private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
		const { url: path = '/' } = incoming;
		this.counts.set(path, this.count(path) + 1);
		const mishap = this.mishapOf(this.count(path));
		if (typeof mishap === 'object' && 'heldUntil' in mishap) {
			void mishap.heldUntil.then(() => this.forward(incoming, outgoing, false));
		} else if (typeof mishap === 'object') refuse(outgoing, mishap);
		else if (mishap === 'request lost') incoming.socket.destroy();
		else this.forward(incoming, outgoing, mishap === 'answer lost');
	}

	private forward(incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean): void {
		const { method, headers, url = '/' } = incoming;
		const forwarded = request(new URL(url, this.target), { method, headers }, (answer) => {
			if (answer.statusCode === 429) this.refusals += 1;
			if (isLost) {
				answer.resume().on('end', () => incoming.socket.destroy());
				return;
			}
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		forwarded.on('error', () => outgoing.destroy());
		incoming.pipe(forwarded);
	}
}

function refuse(outgoing: ServerResponse, mishap: { status: number; retryAfter?: number }): void {
	const { status, retryAfter } = mishap;
	outgoing.writeHead(status, {
		'content-type': 'text/html',
		...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
	});
	outgoing.end(`<h1>${status}</h1>`);
}
