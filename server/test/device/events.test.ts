import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventStream, followEvents, type FollowOptions } from '../support/events.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

/** The server's patience with a connection that sends nothing. */
const HEADERS_LIMIT_MS = 10_000;

describe('GET /device/events', () => {
	let server: TestServer;
	let base: string;
	let open: EventStream[];
	beforeEach(async () => {
		server = await startTestServer({
			settings: { BECKON_RATE_NOTIFICATIONS: '100000', BECKON_RATE_PER_ADDRESS: '100000' },
		});
		base = await server.app.listen({ host: '127.0.0.1', port: 0 });
		open = [];
	});
	afterEach(async () => {
		await Promise.all(open.map((stream) => stream.close()));
		await server.close();
	});

	const push = (title: string) => server.call('POST', '/push-notification', { title });
	const titles = (deliveries: any[]) => deliveries.map(({ push: content }) => content.title);
	async function follow(
		options: FollowOptions = {},
		token = server.phone.token,
	): Promise<EventStream> {
		const stream = await followEvents(base, token, options);
		open.push(stream);
		return stream;
	}

	it('first sends what was missed after the cursor, then what happens', async () => {
		await push('seen');
		await push('missed 1');
		await push('missed 2');
		const [seen] = await server.phone.inbox();
		const stream = await follow({ after: seen.id });
		expect(titles(await stream.waitForDeliveries(2))).toEqual(['missed 1', 'missed 2']);
		await push('live');
		expect(titles(await stream.waitForDeliveries(3))).toEqual(['missed 1', 'missed 2', 'live']);
		// Equal to the inbox, with the delivery's id as the event's.
		expect(stream.deliveries()).toEqual((await server.phone.inbox()).slice(1));
		for (const { event, id, data } of stream.events)
			if (event === 'delivery') expect(id).toBe(String(data.id));
	});

	it('goes on after the last event id that a reconnecting client sends', async () => {
		await push('seen');
		await push('missed');
		const [seen] = await server.phone.inbox();
		const stream = await follow({ lastEventId: String(seen.id) });
		expect(titles(await stream.waitForDeliveries(1))).toEqual(['missed']);
	});

	it.each(['nonsense', 'Infinity', '1e400', '1.5', '-1', '9007199254740993'])(
		'sends everything to a client whose last event id is %s',
		async (lastEventId) => {
			await push('first');
			const stream = await follow({ lastEventId });
			expect(titles(await stream.waitForDeliveries(1))).toEqual(['first']);
		},
	);

	it('refuses a cursor that is not a number', async () => {
		const headers = { authorization: `Bearer ${server.phone.token}` };
		const response = await fetch(`${base}/device/events?after=x`, { headers });
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ message: 'after must be a number.' });
	});

	it('sends every metric at first, and then each change once', async () => {
		await server.addMetric({ key: 'cpu', name: 'CPU', format: 'percent' });
		await server.addMetric({ key: 'mrr', name: 'MRR', format: 'currency', unit: 'EUR' });
		const stream = await follow();
		const metrics = () =>
			stream.events
				.filter(({ event }) => event === 'metric')
				.map(({ data }) => [data.key, data.value]);
		await waitFor('the metrics', () => metrics().length === 2);
		const measured = { value: 40, timestamp: '2026-03-01T11:00:00Z' };
		await server.call('POST', '/metrics/cpu/value', measured);
		await waitFor('the change', () => metrics().length === 3);
		// The same value measured at the same time is no change.
		await server.call('POST', '/metrics/cpu/value', measured);
		await server.call('POST', '/metrics/mrr/value', { value: 'much' });
		await waitFor('the other change', () => metrics().length === 4);
		expect(metrics()).toEqual([
			['cpu', null],
			['mrr', null],
			['cpu', 40],
			['mrr', 'much'],
		]);
	});

	it('sends nothing of other phones and other accounts', async () => {
		const other = await server.addAccount();
		const theirs = await server.pairPhone({ account: other.id });
		await server.addMetric({ key: 'cpu', name: 'CPU', format: 'percent' }, other.id);
		const [mine, foreign] = [await follow(), await follow({}, theirs.token)];
		await server.call('POST', '/metrics/cpu/value', { value: 1 }, { key: other.key });
		await server.call('POST', '/push-notification', { title: 'theirs' }, { key: other.key });
		await push('mine');
		expect(titles(await mine.waitForDeliveries(1))).toEqual(['mine']);
		expect(titles(await foreign.waitForDeliveries(1))).toEqual(['theirs']);
		await foreign.waitForEvent(
			'their metric',
			({ event, data }) => event === 'metric' && data.value === 1,
		);
		expect(mine.events.filter(({ event }) => event === 'metric')).toEqual([]);
	});

	it('reaches all pages that one phone has open', async () => {
		const streams = await Promise.all([follow(), follow(), follow()]);
		await push('A');
		for (const stream of streams) expect(titles(await stream.waitForDeliveries(1))).toEqual(['A']);
	});

	it('sends a long backlog whole and in order', async () => {
		for (let index = 0; index < 250; index += 1) await push(`${index}`);
		const stream = await follow();
		expect(titles(await stream.waitForDeliveries(250))).toEqual(
			Array.from({ length: 250 }, (_, index) => `${index}`),
		);
	});

	it('misses and repeats nothing for a phone that reconnects again and again', async () => {
		const sent: string[] = [];
		let sending = true;
		const sender = (async () => {
			for (let index = 0; sending; index += 1) {
				sent.push(`${index}`);
				await push(`${index}`);
			}
		})();
		const ids: number[] = [];
		const seen: string[] = [];
		for (let round = 1; round <= 12; round += 1) {
			const stream = await follow({ after: ids.at(-1) ?? 0 });
			await stream.waitForDeliveries(round % 4);
			await stream.close();
			for (const { id, push: content } of stream.deliveries()) {
				ids.push(id);
				seen.push(content.title);
			}
		}
		sending = false;
		await sender;
		const rest = await follow({ after: ids.at(-1) ?? 0 });
		await rest.waitForDeliveries(sent.length - seen.length);
		expect([...seen, ...titles(rest.deliveries())]).toEqual(sent);
		expect(new Set([...ids, ...rest.deliveries().map(({ id }) => id)]).size).toBe(sent.length);
	});

	it('ends when the phone is disconnected, and does not open again', async () => {
		const streams = [await follow(), await follow()];
		const other = await server.pairPhone();
		const stays = await follow({}, other.token);
		await push('A');
		await Promise.all(streams.map((stream) => stream.waitForDeliveries(1)));
		await server.phone.call('DELETE', '');
		await within('the end of both streams', Promise.all(streams.map(({ ended }) => ended)));
		await expect(follow()).rejects.toThrow('401');
		await push('B');
		expect(titles(await stays.waitForDeliveries(2))).toEqual(['A', 'B']);
		for (const stream of streams) expect(titles(stream.deliveries())).toEqual(['A']);
	});

	it('says goodbye when the server stops', async () => {
		const stream = await follow();
		await push('A');
		await stream.waitForDeliveries(1);
		const closed = server.app.close();
		await within('the end of the stream', stream.ended);
		expect(stream.events.at(-1)).toMatchObject({ event: 'bye', data: {} });
		await within('the end of the server', closed);
	});

	it('does not hold up a stopping server when a browser has connected ahead', async () => {
		const { hostname, port } = new URL(base);
		const socket = connect({ host: hostname, port: Number(port) });
		const hungUp = new Promise<void>((resolve) => socket.once('close', () => resolve()));
		await new Promise<void>((resolve) => socket.once('connect', resolve));
		// Later requests are accepted later, so the server knows the silent one by now.
		await (await follow()).close();
		await within('the end of the server', server.app.close(), HEADERS_LIMIT_MS);
		await within('the end of the silent connection', hungUp);
	});

	it('does not hold up a stopping server when the phone reads nothing', async () => {
		for (let index = 0; index < 300; index += 1) {
			await server.call('POST', '/push-notification', {
				title: `${index}`,
				message: 'x'.repeat(4_000),
			});
		}
		// The backlog exceeds the buffers between the two.
		const headers = { authorization: `Bearer ${server.phone.token}` };
		const response = await fetch(`${base}/device/events`, { headers });
		expect(response.status).toBe(200);
		await within('the end of the server', server.app.close());
		await response.body?.cancel().catch(() => undefined);
	});
});
