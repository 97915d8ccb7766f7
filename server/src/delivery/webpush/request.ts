import http from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** Sockets to one push service; each carries one request at a time. */
const SOCKETS = 100;

export interface PushAnswer {
	status: number;
	retryAfter: string | undefined;
}

/** Posts to push services. Browsers choose their addresses, so these are checked as webhooks' are. */
export class PushRequests {
	readonly #http: http.Agent;
	readonly #https: https.Agent;

	/** @param allowPrivate connect to addresses that are not public unicast too */
	constructor(allowPrivate: boolean) {
		const options = { keepAlive: true, maxSockets: SOCKETS };
		this.#http = allowPrivate ? new http.Agent(options) : new RequestFilteringHttpAgent(options);
		this.#https = allowPrivate ? new https.Agent(options) : new RequestFilteringHttpsAgent(options);
	}

	/** Redirects are not followed. @throws a Node.js system error, or one of the address check */
	post(
		url: string,
		headers: http.OutgoingHttpHeaders,
		body: Buffer,
		limitMs: number,
	): Promise<PushAnswer> {
		return new Promise((resolve, reject) => {
			const isPlain = url.startsWith('http:');
			const request = (isPlain ? http : https).request(
				url,
				{
					method: 'POST',
					headers: { ...headers, 'content-length': body.length },
					agent: isPlain ? this.#http : this.#https,
				},
				(response) => {
					// The answer's text is for nobody, but the socket is needed again.
					response.resume();
					response.once('end', () => {
						clearTimeout(limit);
						resolve({
							status: response.statusCode ?? 0,
							retryAfter: response.headers['retry-after'],
						});
					});
				},
			);
			const limit = setTimeout(
				() => request.destroy(new Error(`no answer within ${limitMs / 1_000} s`)),
				limitMs,
			);
			request.once('error', reject);
			request.once('close', () => {
				clearTimeout(limit);
				reject(new Error('the connection was closed without an answer'));
			});
			request.end(body);
		});
	}

	close(): void {
		this.#http.destroy();
		this.#https.destroy();
	}
}
