import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
	method: string | undefined;
	path: string | undefined;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Receiver {
	/** `http://127.0.0.1:port` */
	url: string;
	received: Received[];
	close(): Promise<void>;
}

/** A web server on the loopback address that records requests, for webhooks to call. */
export async function startReceiver(
	answer: (request: Received, response: ServerResponse) => void = (_request, response) =>
		response.end('{}'),
): Promise<Receiver> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (text: string) => (body += text));
		request.once('end', () => {
			const seen = { method: request.method, path: request.url, headers: request.headers, body };
			received.push(seen);
			answer(seen, response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
