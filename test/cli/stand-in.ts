import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server as TcpServer } from 'node:net';

export interface Call {
	method: string;
	path: string;
	headers: IncomingMessage['headers'];
	body: Record<string, unknown>;
}

/** In place of a Beckon server: it succeeds at everything, unless a test has it do something else. */
export class StandIn {
	readonly calls: Call[] = [];

	/** What it does with a call. */
	answer: (response: ServerResponse, call: Call) => void = succeed;

	private readonly server: Server;

	private readonly scheme: string;

	private constructor(tls: { key: string; cert: string } | undefined) {
		const take = (request: IncomingMessage, response: ServerResponse) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const { method = '', url: path = '', headers } = request;
				const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Call['body'];
				const call = { method, path, headers, body };
				this.calls.push(call);
				this.answer(response, call);
			});
		};
		this.server = tls ? createTlsServer(tls, take) : createServer(take);
		this.scheme = tls ? 'https' : 'http';
	}

	static async start(tls?: { key: string; cert: string }): Promise<StandIn> {
		const standIn = new StandIn(tls);
		await listening(standIn.server);
		return standIn;
	}

	get url(): string {
		return `${this.scheme}://127.0.0.1:${portOf(this.server)}`;
	}

	/** What the command line needs to reach it. */
	get env(): { BECKON_URL: string; BECKON_API_KEY: string } {
		return { BECKON_URL: this.url, BECKON_API_KEY: 'bk_stand-in' };
	}

	/** Forgets the calls, and succeeds again. */
	reset(): void {
		this.calls.length = 0;
		this.answer = succeed;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

function succeed(response: ServerResponse): void {
	response.setHeader('content-type', 'application/json');
	response.end('{"success": true, "operation": "sent", "devices_notified": 1}');
}

/** Listens on a free port of this machine. */
export async function listening(server: TcpServer): Promise<void> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

export const portOf = (server: TcpServer): number => (server.address() as AddressInfo).port;
