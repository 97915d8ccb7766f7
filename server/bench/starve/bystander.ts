import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { keyOf, tokenOf } from '../api/seed.ts';

const PUSH_EVERY_MS = 25;
const TAP_EVERY_MS = 125;

export interface Felt {
	/** 99th percentiles in milliseconds. */
	pushes: number;
	taps: number;
}

function p99(times: readonly number[]): number {
	const sorted = [...times].sort((a, b) => a - b);
	return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN;
}

/** A second account, which does nothing wrong: its pushes, and the taps of its phone on a webhook button. */
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
		// By its name: name resolution is one of the things that a flood can hold up.
		const url = `http://localhost:${port}/`;
		await this.#call('/api/push-notification', keyOf(1), {
			title: 'Tap me',
			actions: [{ title: 'Go', type: 'webhook', url, method: 'POST' }],
		});
		const inbox = await fetch(`${this.#url}/device/inbox`, {
			headers: { authorization: `Bearer ${tokenOf(1)}` },
		});
		const { deliveries } = (await inbox.json()) as { deliveries: Array<{ id: number }> };
		this.#button = deliveries.at(-1)?.id ?? 0;
	}

	/** What it feels for so long; requests leave at their time, whether the ones before are answered or not. */
	async feel(seconds: number): Promise<Felt> {
		const every = (ms: number, send: () => Promise<void>) =>
			Promise.all(
				Array.from({ length: (seconds * 1_000) / ms }, async (_, n) => {
					await setTimeout(n * ms);
					const began = performance.now();
					await send();
					return performance.now() - began;
				}),
			);
		const [pushes, taps] = await Promise.all([
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
		]);
		return { pushes: p99(pushes), taps: p99(taps) };
	}

	close(): void {
		this.#receiver.close();
		this.#receiver.closeAllConnections();
	}

	async #call(path: string, token: string, body: object): Promise<void> {
		const answer = await fetch(this.#url + path, {
			method: 'POST',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		const text = await answer.text();
		if (answer.status !== 200 || text.includes('"failed"'))
			throw new Error(`${path} answered ${answer.status}: ${text}`);
	}
}
