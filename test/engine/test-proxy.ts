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
 * A disturbance of one request: a status returned before the server is reached, a wait before the
 * request goes on, or a connection that breaks before the request arrives or before the answer returns.
 */
export type Mishap =
	| { status: number; retryAfter?: number }
	| { heldUntil: Promise<void> }
	| 'request lost'
	| 'answer lost';

/** Decides on a mishap for each request; `nth` counts the requests to its path from 1. */
export type Disturbance = (nth: number) => Mishap | undefined;

/** Sits between a node and the server, and observes or disturbs the traffic. */
export class TestProxy {
	/** Answers of the server with status 429. */
	refusals = 0;

	/** True: the server gets no idempotency keys. */
	dropsKeys = false;

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
	 * @param tls for a proxy called over https
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

	/** Disturbs requests from now on, and restarts the counts. */
	disturb(mishapOf: Disturbance): void {
		this.mishapOf = mishapOf;
		this.counts.clear();
	}

	/** The number of requests to a path. */
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
		if (this.dropsKeys) delete headers['idempotency-key'];
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
