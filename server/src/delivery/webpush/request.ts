import http from 'node:http';
import https from 'node:https';
import { agentsFor } from '../public-agents.ts';

/** Sockets to one push service; each carries one request at a time. */
const SOCKETS = 100;

export interface PushAnswer {
	status: number;
	retryAfter: string | undefined;
}

/** Posts to push services. Browsers choose the addresses, so they are checked like those of webhooks. */
export class PushRequests {
	readonly #agents: ReturnType<typeof agentsFor>;

	/** @param allowPrivate also connect to addresses that are not public unicast */
	constructor(allowPrivate: boolean) {
		this.#agents = agentsFor(allowPrivate, { keepAlive: true, maxSockets: SOCKETS });
	}

	/** Does not follow redirects. @throws a Node.js system error, or one from the address check */
	post(
		url: string,
		headers: http.OutgoingHttpHeaders,
		body: Buffer,
		limitMs: number,
	): Promise<PushAnswer> {
		return new Promise((resolve, reject) => {
			let isAnswered = false;
			const isPlain = url.startsWith('http:');
			const request = (isPlain ? http : https).request(
				url,
				{
					method: 'POST',
					headers: { ...headers, 'content-length': body.length },
					agent: isPlain ? this.#agents.httpAgent : this.#agents.httpsAgent,
				},
				(response) => {
					// Nobody needs the answer's text, but the socket is needed again.
					response.resume();
					response.once('end', () => {
						isAnswered = true;
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
				if (!isAnswered) reject(new Error('the connection was closed without an answer'));
			});
			request.end(body);
		});
	}

	close(): void {
		this.#agents.httpAgent.destroy();
		this.#agents.httpsAgent.destroy();
	}
}
