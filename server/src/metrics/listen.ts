import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

export interface MetricsServer {
	/** `http://host:port/metrics` */
	url: string;
	close(): Promise<void>;
}

/**
 * Answers GET /metrics on a separate port: without authentication, it must not be public.
 * @throws a Node.js system error (EADDRINUSE …) if it cannot listen on the address
 */
export async function listenForMetrics(
	metrics: Metrics,
	{ host, port, onError }: { host: string; port: number; onError: (error: unknown) => void },
): Promise<MetricsServer> {
	const server = createServer((request, response) => {
		if (request.url?.split('?', 1)[0] !== '/metrics' || request.method !== 'GET') {
			response
				.writeHead(404, { 'content-type': 'text/plain' })
				.end('GET /metrics is all there is.\n');
			return;
		}
		metrics.read().then(
			(text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
			(error: unknown) => {
				onError(error);
				response
					.writeHead(503, { 'content-type': 'text/plain' })
					.end('The metrics cannot be read at the moment.\n');
			},
		);
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, resolve);
	});
	const { address, family, port: taken } = server.address() as AddressInfo;
	return {
		url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
