import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { disconnectDevice, removeDevice } from '../../src/service/phones/devices.ts';
import { followEvents } from '../support/events.ts';
import { outcomesRecorded } from '../support/gateways.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** A day, with a push a second. */
const PUSHES = 86_400;
const PUSHES_A_ROUND = 60;
const KEYS_A_ROUND = 4;

/** How much more the heap may have in it at the end of the day than at its middle. */
const MOST_BYTES = 3_000_000;

/** What a mistake might keep of each push: an array of 8 numbers takes 112 bytes. */
const KEPT_NUMBERS = 8;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function heapBytes(): Promise<number> {
	// What the first collection finalizes, the next frees.
	for (let times = 0; times < 3; times += 1) {
		collectGarbage();
		await pause(100);
	}
	return process.memoryUsage().heapUsed;
}

describe("the server's heap, in a day of pushes, streams, taps, phones, time zones and tags", () => {
	const zones = Intl.supportedValuesOf('timeZone');
	const webhook = createServer((request, response) => {
		request.resume().once('end', () => response.end('{}'));
	});
	let server: TestServer;
	let base: string;
	let url: string;
	beforeEach(async () => {
		server = await startTestServer({
			settings: {
				...UNLIMITED,
				BECKON_RATE_PER_DEVICE: '1000000',
				BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			},
		});
		base = await server.app.listen();
		await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
		url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
	});
	afterEach(async () => {
		webhook.closeAllConnections();
		await new Promise((resolve) => webhook.close(resolve));
		await server.close();
	});

	async function requireOk(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
		const { status, body } = await answer;
		if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
	}

	/** A minute: all that may leave something behind. */
	async function minute(round: number): Promise<void> {
		const { phone, account, context } = server;
		await Promise.all(
			Array.from({ length: PUSHES_A_ROUND }, (_, n) =>
				requireOk(
					server.call('POST', '/push-notification', {
						title: `Order ${round}-${n}`,
						tags: [`order-${round}-${n}`],
						...(n === 0 && { actions: [{ title: 'Go', type: 'webhook', url, method: 'POST' }] }),
					}),
				),
			),
		);
		for (let key = 0; key < KEYS_A_ROUND; key += 1) {
			const path = `/live-activity/stream/build-${round}-${key}`;
			const content_state = { type: 'value', title: 'Build', value: key };
			await requireOk(server.call('PUT', path, { content_state }));
			await requireOk(server.call('DELETE', path));
		}
		const hours = { from: '22:00', to: '07:00', days: ['mon'] };
		const time_zone = zones[round % zones.length];
		const quiet = { hours, time_zone, minimum_level: 'passive', questions: false };
		await requireOk(phone.call('PUT', '/quiet', quiet));

		const added = await server.pairPhone({ name: `Phone ${round}` });
		await requireOk(
			server.call('POST', '/push-notification', {
				title: 'Tap me',
				actions: [{ title: 'Go', type: 'webhook', url, method: 'POST' }],
			}),
		);
		const events = await followEvents(base, added.token, { after: 0 });
		const [{ id: delivery_id }] = await events.waitForDeliveries(1);
		await requireOk(added.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 }));
		await events.close();
		await disconnectDevice(context, account.id, added.id);
		await removeDevice(context, account.id, added.id);
		await outcomesRecorded(server);
		server.clock.advance(60);
	}

	/** @param keep called for each push @returns the heap at the end of each quarter of the day */
	async function quarters(keep: (push: number) => void = () => undefined): Promise<number[]> {
		const sizes: number[] = [];
		const rounds = PUSHES / PUSHES_A_ROUND;
		for (let round = 0; round < rounds; round += 1) {
			await minute(round);
			for (let push = 0; push < PUSHES_A_ROUND; push += 1) keep(push);
			if ((round + 1) % (rounds / 4) === 0) sizes.push(await heapBytes());
		}
		process.stderr.write(`${sizes.map((bytes) => (bytes / 1e6).toFixed(2)).join(', ')} MB\n`);
		return sizes;
	}

	it('is no larger at its end than in its middle', async () => {
		const [, middle = 0, , end = Infinity] = await quarters();
		expect(end - middle).toBeLessThan(MOST_BYTES);
	});

	it('would be, if a hundred bytes were kept of each push', async () => {
		const kept: number[][] = [];
		const [, middle = Infinity, , end = 0] = await quarters((push) =>
			kept.push(Array<number>(KEPT_NUMBERS).fill(push)),
		);
		expect(kept).toHaveLength(PUSHES);
		expect(end - middle).toBeGreaterThan(MOST_BYTES);
	});
});
