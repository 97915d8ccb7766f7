import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventStream, followEvents } from '../support/events.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { TapBench } from '../support/tap-bench.ts';
import { waitFor, within } from '../support/wait.ts';

/** Requests of one phone that the server runs at the same time. */
const MAX_REQUESTS = 10;

/** Event streams one phone may open in a window. */
const STREAMS_PER_WINDOW = 60;

/** Streams one phone may have open. */
const MAX_STREAMS = 10;

describe('a phone that asks for more than its share', () => {
	let server: TestServer;
	let other: TestPhone;
	beforeEach(async () => {
		server = await startTestServer({ settings: { BECKON_RATE_PER_DEVICE: '30' } });
		other = await server.pairPhone({ name: 'Other' });
	});
	afterEach(() => server.close());

	it('is answered with 429 and Retry-After for the rest of the window, unlike other phones', async () => {
		const { clock } = server;
		const statuses: number[] = [];
		for (let call = 0; call < 32; call += 1)
			statuses.push((await server.phone.call('GET', '/channels')).status);
		expect(statuses).toEqual([...Array<number>(30).fill(200), 429, 429]);
		const { headers, body } = await server.phone.call('POST', '/acknowledge', { deliveries: [1] });
		expect(headers['retry-after']).toBe('60');
		expect(body).toEqual({
			error: 'Too many requests',
			message: 'This phone sends too many requests. Try again in 60 s.',
		});
		expect((await other.call('GET', '/channels')).status).toBe(200);
		clock.advance(60);
		expect((await server.phone.call('GET', '/channels')).status).toBe(200);
	});

	it('keeps its newest event streams, and other phones lose none of theirs', async () => {
		const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
		const theirs = await followEvents(base, other.token);
		const streams: EventStream[] = [];
		for (let count = 0; count < MAX_STREAMS + 3; count += 1)
			streams.push(await followEvents(base, server.phone.token));
		for (const oldest of streams.slice(0, 3)) {
			await within('the end of the oldest', oldest.ended);
			// It is not told to reconnect at once.
			expect(oldest.events.map(({ event }) => event)).not.toContain('bye');
		}
		await waitFor(
			'the streams to be counted',
			() => server.context.openPages.openStreams().phones === MAX_STREAMS + 1,
		);
		await server.call('POST', '/push-notification', { title: 'A' });
		for (const stream of [theirs, ...streams.slice(3)]) {
			expect(await stream.waitForDeliveries(1)).toHaveLength(1);
			await stream.close();
		}
	});
});

describe('a phone that opens its event stream again and again', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	it('is answered with 429 and Retry-After beyond sixty in a window, and may go on calling', async () => {
		const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
		for (let count = 0; count < STREAMS_PER_WINDOW; count += 1)
			await (await followEvents(base, server.phone.token)).close();
		const refused = await fetch(`${base}/device/events`, {
			headers: { authorization: `Bearer ${server.phone.token}` },
		});
		expect(refused.status).toBe(429);
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
		expect(await refused.json()).toMatchObject({ error: 'Too many requests' });
		expect((await server.phone.call('GET', '/snapshot')).status).toBe(200);
	});
});

describe('a phone that waits for ten answers', () => {
	let bench: TapBench;
	beforeEach(async () => {
		bench = await TapBench.start({
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			// Of which one person gets half.
			BECKON_WEBHOOK_OPEN_PER_ACCOUNT: String(2 * MAX_REQUESTS),
		});
	});
	afterEach(() => bench.close());

	it('is answered with 429 and Retry-After until one of them has come', async () => {
		const held: Array<() => void> = [];
		const webhook = await bench.receive((_request, response) => {
			held.push(() => response.end('{}'));
		});
		const button = { title: 'Go', type: 'webhook', url: webhook.url };
		const deliveries: number[] = [];
		for (let count = 0; count < MAX_REQUESTS; count += 1)
			deliveries.push(await bench.pushWith(button));
		const taps = deliveries.map((delivery_id) => bench.tap({ delivery_id, action: 0 }));
		await waitFor('the webhook calls', () => held.length === MAX_REQUESTS);

		const { phone } = bench.server;
		const refused = await phone.call('GET', '/snapshot');
		expect(refused.status).toBe(429);
		expect(refused.headers['retry-after']).toBe('1');
		expect(refused.body).toEqual({
			error: 'Too many requests',
			message: 'This phone sends too many requests. Try again in 1 s.',
		});
		const other = await bench.server.pairPhone({ name: 'Other' });
		expect((await other.call('GET', '/snapshot')).status).toBe(200);

		held.shift()!();
		await Promise.race(taps);
		expect((await phone.call('GET', '/snapshot')).status).toBe(200);
		for (const answer of held) answer();
		for (const { status } of await Promise.all(taps)) expect(status).toBe(200);
	});
});

describe('a phone that hangs up', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	it('gives back its share, however often', async () => {
		await server.app.listen({ host: '127.0.0.1', port: 0 });
		const { port } = server.app.server.address() as AddressInfo;
		for (let call = 0; call < MAX_REQUESTS; call += 1) {
			const arrived = once(server.app.server, 'request');
			const socket = connect(port, '127.0.0.1');
			socket.write(
				`POST /device/acknowledge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.phone.token}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
			);
			const [, response] = (await within('the request', arrived)) as [unknown, ServerResponse];
			const ended = once(response, 'close');
			await setImmediate();
			socket.destroy();
			await within('the end', ended);
		}
		expect((await server.phone.call('GET', '/channels')).status).toBe(200);
	});
});
