import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emojis, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('POST /metrics/{key}/value', () => {
	let server: TestServer;
	const create = (key: string, account = server.account.id) => server.addMetric({ key }, account);
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await create('cpu');
	});
	afterEach(() => server.close());

	const set = (value: unknown, timestamp?: unknown, key = 'cpu') =>
		server.call('POST', `/metrics/${key}/value`, {
			value,
			...(timestamp !== undefined && { timestamp }),
		});
	const shown = async (key = 'cpu') =>
		(await server.phone.snapshot()).metrics.find((metric: { key: string }) => metric.key === key);
	const time = (seconds: number) => new Date(server.clock.now + seconds * 1_000).toISOString();

	it('answers success and nothing else, and shows the value with the time it was received', async () => {
		const { status, body } = await set(42.5);
		expect(status).toBe(200);
		expect(body).toEqual({ success: true });
		expect(await shown()).toMatchObject({ value: 42.5, measured_at: time(0) });
	});

	it.each<[string, unknown]>([
		['0', 0],
		['a negative number', -273.15],
		['the largest number', Number.MAX_VALUE],
		['the smallest number', Number.MIN_VALUE],
		['a text of one character', '!'],
		['a text of 64 characters', 'x'.repeat(64)],
		['a text of 64 emojis', emojis(64)],
		['a text that looks like a number', '12'],
		['a text of a space', ' '],
	])('takes %s, as it is', async (_what, value) => {
		expect((await set(value)).status).toBe(200);
		expect((await shown()).value).toBe(value);
	});

	it.each<[string, string]>([
		['nothing', '{}'],
		['an empty text', '{"value":""}'],
		['a text of 65 characters', `{"value":"${'x'.repeat(65)}"}`],
		['a text of 65 emojis', `{"value":"${emojis(65)}"}`],
		['null', '{"value":null}'],
		['true', '{"value":true}'],
		['a list', '{"value":[1]}'],
		['an object', '{"value":{"a":1}}'],
		['an infinite number', '{"value":1e999}'],
		['a negative infinite number', '{"value":-1e999}'],
	])('refuses %s', async (_what, text) => {
		const { status, body } = await server.call('POST', '/metrics/cpu/value', text);
		expect(status).toBe(400);
		expect(body).toMatchObject({
			error: expect.any(String),
			message: expect.stringMatching(/^value (must|is) /),
		});
		expect((await shown()).value).toBeNull();
	});

	it.each(['NaN', 'Infinity'])('refuses %s, which JSON does not have', async (value) => {
		expect((await server.call('POST', '/metrics/cpu/value', `{"value":${value}}`)).status).toBe(
			400,
		);
	});

	it.each(['a', '0', 'k'.repeat(64), 'a_b.c-d', '0.9', 'a--'])('takes the key %s', async (key) => {
		await create(key);
		expect((await set(1, undefined, key)).status).toBe(200);
	});

	it('decodes the key', async () => {
		expect((await set(7, undefined, 'c%70u')).status).toBe(200);
		expect((await shown()).value).toBe(7);
	});

	it.each([
		'k'.repeat(65),
		'CPU',
		'-cpu',
		'.cpu',
		'_cpu',
		'c:u',
		'c%20u',
		'c%2Fu',
		'c%00',
		'c%0A',
		'%C3%BC',
		'100%',
	])('refuses the key %s with 400, naming the rule', async (key) => {
		const { status, body } = await set(1, undefined, key);
		expect(status).toBe(400);
		expect(body['message']).toMatch(/^key must /);
	});

	it('answers 404 for a metric that was not created: the API creates none', async () => {
		const { status, body } = await set(1, undefined, 'memory');
		expect(status).toBe(404);
		expect(body).toEqual({ error: 'Metric not found', message: expect.stringContaining('memory') });
		expect(await shown('memory')).toBeUndefined();
	});

	it("answers 404 for another account's metric", async () => {
		const other = await server.addAccount();
		await create('sales', other.id);
		expect((await set(1, undefined, 'sales')).status).toBe(404);
	});

	it('keeps metrics of the same key in two accounts apart', async () => {
		const other = await server.addAccount();
		await create('cpu', other.id);
		await server.call('POST', '/metrics/cpu/value', { value: 99 }, { key: other.key });
		expect((await shown()).value).toBeNull();
	});

	it.each([
		'2026-03-01T11:00:00Z',
		'2026-03-01T11:00:00.123456Z',
		'2026-03-01T13:00:00+02:00',
		'2026-03-01T05:30:00-05:30',
		'2024-02-29T00:00:00Z',
	])('takes the timestamp %s', async (timestamp) => {
		expect((await set(1, timestamp)).status).toBe(200);
		expect((await shown()).measured_at).toBe(new Date(timestamp).toISOString());
	});

	it.each<[string, unknown]>([
		['without an offset', '2026-03-01T11:00:00'],
		['without a time', '2026-03-01'],
		['with a space', '2026-03-01 11:00:00Z'],
		['of a day that there is not', '2026-02-30T11:00:00Z'],
		['of an hour that there is not', '2026-03-01T25:00:00Z'],
		['in small letters', '2026-03-01t11:00:00z'],
		['of a leap second', '2016-12-31T23:59:60Z'],
		['in words', 'yesterday'],
		['in seconds', 1_772_366_400],
		['that is empty', ''],
		['that is null', null],
	])('refuses a timestamp %s', async (_what, timestamp) => {
		const { status, body } = await set(1, timestamp);
		expect(status).toBe(400);
		expect(body['message']).toMatch(/^timestamp must .*offset/);
	});

	it('lets the last measured value win, whatever comes last', async () => {
		await set('newer', time(-10));
		const older = await set('older', time(-20));
		expect(older.body).toEqual({ success: true });
		expect(await shown()).toMatchObject({ value: 'newer', measured_at: time(-10) });
		await set('newest', time(-5));
		expect((await shown()).value).toBe('newest');
	});

	it('lets the last measured value win among values sent at once', async () => {
		const ages = [30, 10, 20];
		const answers = await Promise.all(ages.map((age) => set(`${age}`, time(-age))));
		expect(answers.map(({ body }) => body)).toEqual(ages.map(() => ({ success: true })));
		expect(await shown()).toMatchObject({ value: '10', measured_at: time(-10) });
	});

	it('sets the metrics that exist when another request at once names one that does not', async () => {
		const answers = await Promise.all([set(1), set(2, undefined, 'memory'), set(3)]);
		expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
		expect((await shown()).value).toBe(3);
	});

	it('compares the instants, not the texts', async () => {
		await set('first', '2026-03-01T11:00:00+02:00');
		await set('second', '2026-03-01T10:00:00Z');
		await set('third', '2026-03-01T11:30:00+02:00');
		expect((await shown()).value).toBe('second');
	});

	it('lets the later of two calls win when both were measured at once', async () => {
		await set('first', time(-10));
		await set('second', time(-10));
		expect((await shown()).value).toBe('second');
	});

	it('counts a time in the future as now, so that a wrong clock blocks nothing', async () => {
		await set('from the future', '2099-01-01T00:00:00Z');
		expect((await shown()).measured_at).toBe(time(0));
		server.clock.advance(1);
		await set('from now');
		expect((await shown()).value).toBe('from now');
	});

	it('takes a value without a time after one that was measured before', async () => {
		await set(1, time(-60));
		await set(2);
		expect(await shown()).toMatchObject({ value: 2, measured_at: time(0) });
	});

	it('takes the later of two values without a time when the clock was set back', async () => {
		await set(1);
		server.clock.advance(-60);
		await set(2);
		expect(await shown()).toMatchObject({ value: 2, measured_at: time(60) });
	});

	it('is open to a restricted key: a metric has no recipients', async () => {
		await server.addChannel('ops');
		const key = await server.addKey(server.account.id, ['ops']);
		expect((await server.call('POST', '/metrics/cpu/value', { value: 1 }, { key })).status).toBe(
			200,
		);
	});
});
