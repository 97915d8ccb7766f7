import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
	method: string;
	path: string;
	body: unknown;
}

/** Accepts and keeps every request of a node, to compare with those of another client. */
export class RecordingServer {
	readonly requests: RecordedRequest[] = [];

	private readonly server: Server;

	private constructor(server: Server) {
		this.server = server;
	}

	/** @param answer to every request */
	static async start({
		status = 200,
		body = { success: true },
	}: {
		status?: number;
		body?: object | ((path: string) => object);
	} = {}): Promise<RecordingServer> {
		const server = createServer();
		const recording = new RecordingServer(server);
		server.on('request', (request, response) => {
			let text = '';
			request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
			request.once('end', () => {
				const { method = '', url: path = '' } = request;
				// No body means the same as an empty one.
				const isJson = request.headers['content-type']?.startsWith('application/json');
				const sent: unknown = isJson && text !== '' ? JSON.parse(text) : {};
				recording.requests.push({ method, path, body: sent });
				response.writeHead(status, { 'content-type': 'application/json' });
				response.end(JSON.stringify(typeof body === 'function' ? body(path) : body));
			});
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		return recording;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	stop(): void {
		this.server.close();
		this.server.closeAllConnections();
	}
}

/** How the service accepts a question. */
export const QUESTION = { question_id: 'q', deadline_at: '2100-01-01', timestamp: '2026-01-01' };

/** A service that accepts whatever a node sends or asks. @param more what it says in addition, by path */
export function acceptEverything(more: (path: string) => object): Promise<RecordingServer> {
	const body = (path: string) => ({ success: true, ...QUESTION, ...more(path) });
	return RecordingServer.start({ body });
}
