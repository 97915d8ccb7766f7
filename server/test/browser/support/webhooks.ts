import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedCall {
	method: string | undefined;
	path: string | undefined;
	body: string;
}

export interface WebhookReceiver {
	calls: ReceivedCall[];
	url(path: string): string;
	close(): Promise<void>;
}

/**
 * Receives webhook calls on loopback. A path that begins with /fail answers 503; with /final, that the
 * answer is final.
 */
export async function receiveWebhooks(): Promise<WebhookReceiver> {
	const calls: ReceivedCall[] = [];
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			calls.push({ method: request.method, path: request.url, body });
			response.statusCode = request.url?.startsWith('/fail') ? 503 : 200;
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ final: request.url?.startsWith('/final') }));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		calls,
		url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
		close: () => new Promise<void>((resolve) => server.close(() => resolve())),
	};
}
