import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between a node and the server and counts the refusals for the request rate. */
export class CountingProxy {
	refusals = 0;

	private readonly server: Server;

	private constructor(server: Server) {
		this.server = server;
	}

	/** @param target the server's address */
	static async start(target: string): Promise<CountingProxy> {
		const server = createServer();
		const proxy = new CountingProxy(server);
		server.on('request', (incoming, outgoing) => {
			const { method, headers, url = '/' } = incoming;
			const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
				if (answer.statusCode === 429) proxy.refusals += 1;
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(outgoing);
			});
			forwarded.on('error', () => outgoing.destroy());
			incoming.pipe(forwarded);
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		return proxy;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	stop(): void {
		this.server.close();
		this.server.closeAllConnections();
	}
}
