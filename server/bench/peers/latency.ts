import { Agent, get, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { median } from '../../../bench/node/statistics.ts';

/** A server that tells a subscriber of each push. */
export interface Peer {
	/** Where its subscriber listens. */
	stream: { url: string; headers: Record<string, string> };
	/** What sends a push with this title. */
	push(title: string): { url: string; headers: Record<string, string>; body: object };
}

export interface Latency {
	/** Medians in milliseconds, from the request. */
	answer: number;
	told: number;
}

/** Longest wait for the last push to reach the subscriber. */
const LAST_MS = 5_000;

/** Sends at this rate, each request at its time, with one subscriber. */
export async function measureLatency(
	peer: Peer,
	{ perSecond, count }: { perSecond: number; count: number },
): Promise<Latency> {
	const began = new Map<string, number>();
	const told: number[] = [];
	const subscriber = await subscribe(peer, (text) => {
		for (const [title] of text.matchAll(/Push [\d.]+ of \d+/g)) {
			const start = began.get(title);
			if (start === undefined) continue;
			began.delete(title);
			told.push(performance.now() - start);
		}
	});
	const agent = new Agent({ keepAlive: true });
	const first = performance.now();
	const answers = await Promise.all(
		Array.from({ length: count }, async (_, n) => {
			await setTimeout(first + (n * 1_000) / perSecond - performance.now());
			const title = `Push ${first} of ${n}`;
			const start = performance.now();
			began.set(title, start);
			await send(agent, peer.push(title));
			return performance.now() - start;
		}),
	);
	for (let waited = 0; began.size > 0 && waited < LAST_MS; waited += 10) await setTimeout(10);
	subscriber.destroy();
	agent.destroy();
	if (began.size > 0) throw new Error(`${began.size} of ${count} pushes did not arrive`);
	return { answer: median(answers), told: median(told) };
}

function subscribe({ stream }: Peer, onText: (text: string) => void): Promise<{ destroy(): void }> {
	return new Promise((resolve, reject) => {
		const subscriber = get(stream.url, { agent: false, headers: stream.headers }, (answer) => {
			if (answer.statusCode !== 200) reject(new Error(`${stream.url}: ${answer.statusCode}`));
			answer.setEncoding('utf8').on('error', () => undefined);
			answer.on('data', (text: string) => {
				resolve(subscriber);
				onText(text);
			});
		});
		subscriber.once('error', reject);
	});
}

function send(agent: Agent, { url, headers, body }: ReturnType<Peer['push']>): Promise<void> {
	return new Promise((resolve, reject) => {
		const type = { 'content-type': 'application/json' };
		const sent = request(
			url,
			{ agent, method: 'POST', headers: { ...headers, ...type } },
			(answer) => {
				if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
				answer.resume().once('end', resolve);
			},
		);
		sent.once('error', reject);
		sent.end(JSON.stringify(body));
	});
}
