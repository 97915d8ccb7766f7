import { randomUUID } from 'node:crypto';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { keyOf, tokenOf } from '../api/seed.ts';

const PUSH_EVERY_MS = 25;
const TAP_EVERY_MS = 125;
const CONNECT_EVERY_MS = 50;

export interface Felt {
	/** 99th percentiles in milliseconds. A failed request counts as infinitely slow. */
	pushes: number;
	taps: number;
	/** Requests for `/healthz`, each on a new connection. */
	connections: number;
	/** The server's answers to failed requests, and their number. */
	failures: Map<string, number>;
}

function p99(times: readonly number[]): number {
	const sorted = [...times].sort((a, b) => a - b);
	return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN;
}

/** A second, well-behaved account: its pushes, its phone's taps on a webhook button, and its new connections. */
export class Bystander {
	readonly #url: string;
	readonly #receiver = createServer((request, response) => {
		request.resume().once('end', () => response.end('{}'));
	});
	#button = 0;

	constructor(url: string) {
		this.#url = url;
	}

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.#receiver.listen(0, '127.0.0.1', resolve));
		const { port } = this.#receiver.address() as AddressInfo;
		// By name: name resolution is one of the things a flood can hold up.
		const url = `http://localhost:${port}/`;
		const failure = await this.#call('/api/push-notification', keyOf(1), {
			title: 'Tap me',
			actions: [{ title: 'Go', type: 'webhook', url, method: 'POST' }],
		});
		if (failure !== undefined) throw new Error(failure);
		// The store may be one that an earlier server has used.
		for (let more = true; more;) {
			const inbox = await fetch(`${this.#url}/device/inbox?after=${this.#button}`, {
				headers: { authorization: `Bearer ${tokenOf(1)}` },
			});
			({ cursor: this.#button, more } = (await inbox.json()) as { cursor: number; more: boolean });
		}
	}

	/** Sends for this long, each request at its time, whether or not earlier ones are answered. */
	async feel(seconds: number): Promise<Felt> {
		const failures = new Map<string, number>();
		const every = (ms: number, send: () => Promise<string | undefined>) =>
			Promise.all(
				Array.from({ length: (seconds * 1_000) / ms }, async (_, n) => {
					await setTimeout(n * ms);
					const began = performance.now();
					const failure = await send();
					if (failure === undefined) return performance.now() - began;
					failures.set(failure, (failures.get(failure) ?? 0) + 1);
					return Infinity;
				}),
			);
		const [pushes, taps, connections] = await Promise.all([
			every(PUSH_EVERY_MS, () =>
				this.#call('/api/push-notification', keyOf(1), { title: 'New order' }),
			),
			every(TAP_EVERY_MS, () =>
				this.#call('/device/taps', tokenOf(1), {
					tap_id: randomUUID(),
					delivery_id: this.#button,
					action: 0,
				}),
			),
			every(CONNECT_EVERY_MS, () => this.#connect()),
		]);
		return {
			pushes: p99(pushes),
			taps: p99(taps),
			connections: p99(connections),
			failures,
		};
	}

	/** @returns what went wrong */
	#connect(): Promise<string | undefined> {
		return new Promise((resolve) => {
			get(`${this.#url}/healthz`, { agent: false }, (answer) => {
				answer.resume().once('end', () => {
					const isHealthy = answer.statusCode === 200;
					resolve(isHealthy ? undefined : `/healthz ${answer.statusCode}`);
				});
			}).once('error', ({ message }) => resolve(`/healthz ${message}`));
		});
	}

	close(): void {
		this.#receiver.close();
		this.#receiver.closeAllConnections();
	}

	/** @returns the server's answer if it did not do as asked */
	async #call(path: string, token: string, body: object): Promise<string | undefined> {
		const answer = await fetch(this.#url + path, {
			method: 'POST',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}).catch((error: unknown) => error as Error);
		if (answer instanceof Error) return `${path} ${answer.message}`;
		const text = await answer.text();
		const isDone = answer.status === 200 && !text.includes('"failed"');
		return isDone ? undefined : `${path} ${answer.status} ${text}`;
	}
}
