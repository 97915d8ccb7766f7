import http from 'node:http';
import https from 'node:https';
import { ATTEMPT_LIMIT_MS } from '../gateway.ts';
import type { agentsFor } from '../public-agents.ts';

/** One for all: to create an error for each request takes time, and this one seldom reaches anybody. */
const UNANSWERED = new Error('the connection was closed without an answer');

/**
 * Posts to a push service. Does not follow redirects.
 * @param deadline of the attempt, as `performance.now()` tells the time
 * @returns the answer, which has no text
 * @throws a Node.js system error, or one from the address check of the agents
 */
export function post(
	url: string,
	headers: http.OutgoingHttpHeaders,
	body: Buffer,
	{ httpAgent, httpsAgent }: ReturnType<typeof agentsFor>,
	deadline: number,
): Promise<http.IncomingMessage> {
	const isPlain = url.startsWith('http:');
	return new Promise((resolve, reject) => {
		const request = (isPlain ? http : https).request(url, {
			method: 'POST',
			headers: { ...headers, 'content-length': body.length },
			agent: isPlain ? httpAgent : httpsAgent,
		});
		const limit = setTimeout(
			() => request.destroy(new Error(`no answer within ${ATTEMPT_LIMIT_MS / 1_000} s`)),
			Math.max(1, deadline - performance.now()),
		);
		// Nobody needs the answer's text, but the socket is needed again.
		request.once('response', (answer) => answer.resume().once('end', () => resolve(answer)));
		request.once('error', reject);
		request.once('close', () => {
			clearTimeout(limit);
			reject(UNANSWERED);
		});
		request.end(body);
	});
}
