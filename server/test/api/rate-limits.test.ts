import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseList } from 'structured-headers';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

type Limits = Record<string, Record<string, number>>;

/** The entries of a RateLimit or RateLimit-Policy header by policy name, parsed as RFC 9651 says. */
function limitsIn(header: unknown): Limits {
	return Object.fromEntries(
		parseList(String(header)).map(([name, parameters]) => {
			if (typeof name !== 'string') throw new Error('A policy name is not a quoted text');
			return [name, Object.fromEntries(parameters) as Record<string, number>];
		}),
	);
}

const remaining = (answer: Answer) => limitsIn(answer.headers['ratelimit']);
const policies = (answer: Answer) => limitsIn(answer.headers['ratelimit-policy']);

const REQUESTS = [
	['notifications', 60, 'POST', '/push-notification', { title: 'Hello' }],
	['notifications', 60, 'POST', '/push-notification/repeated', {}],
	['notifications', 60, 'DELETE', '/push-notification/repeated/x', undefined],
	['badges', 60, 'POST', '/badge', { badge: 1 }],
	['live-activities', 300, 'PUT', '/live-activity/stream/s', { content_state: {} }],
	['live-activities', 300, 'DELETE', '/live-activity/stream/s', undefined],
	['live-activities', 300, 'POST', '/live-activity/start', {}],
	['live-activities', 300, 'POST', '/live-activity/update', {}],
	['live-activities', 300, 'POST', '/live-activity/end', {}],
	['metrics', 300, 'POST', '/metrics/cpu/value', { value: 1 }],
	['images', 30, 'POST', '/images', {}],
	['lists', 60, 'GET', '/channels', undefined],
	['lists', 60, 'GET', '/metrics', undefined],
	['lists', 60, 'GET', '/live-activity/streams', undefined],
] as const;

describe('rate limits as the service text has them', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	it.each(REQUESTS)(
		'give %s %i requests per account and minute: %s %s',
		async (feature, quota, method, path, body) => {
			const answer = await server.call(method, path, body);
			expect(policies(answer)).toEqual({
				[`public-api-ip:${feature}`]: { q: 600, w: 60 },
				[`account:${feature}`]: { q: quota, w: 60 },
			});
			expect(remaining(answer)).toEqual({
				[`public-api-ip:${feature}`]: { r: 599, t: 60 },
				[`account:${feature}`]: { r: quota - 1, t: 60 },
			});
		},
	);

	it('name the policies in the form that the text shows', async () => {
		const { headers } = await server.call('POST', '/push-notification', { title: 'Hello' });
		expect(headers['ratelimit-policy']).toBe(
			'"public-api-ip:notifications";q=600;w=60, "account:notifications";q=60;w=60',
		);
		expect(headers['ratelimit']).toBe(
			'"public-api-ip:notifications";r=599;t=60, "account:notifications";r=59;t=60',
		);
	});

	it('refuse the sixty-first push within a minute and take the next one after it', async () => {
		for (let sent = 1; sent <= 60; sent += 1) {
			expect((await server.call('POST', '/push-notification', { title: `${sent}` })).status).toBe(
				200,
			);
		}
		const refused = await server.call('POST', '/push-notification', { title: '61' });
		expect(refused.status).toBe(429);
		server.clock.advance(60);
		expect((await server.call('POST', '/push-notification', { title: '61' })).status).toBe(200);
	});
});

describe('rate limits', () => {
	let server: TestServer;
	const start = async (settings: Record<string, string> = {}) => {
		server = await startTestServer({
			settings: { BECKON_RATE_BADGES: '3', BECKON_RATE_PER_ADDRESS: '5', ...settings },
		});
	};
	afterEach(() => server.close());

	const badge = (options?: Parameters<TestServer['call']>[3]) =>
		server.call('POST', '/badge', { badge: 1 }, options);
	const exhaust = async (count: number, options?: Parameters<TestServer['call']>[3]) => {
		for (let sent = 0; sent < count; sent += 1) await badge(options);
	};

	it('open the window at the first request and close it 60 s later, whatever came between', async () => {
		await start();
		const times: unknown[] = [];
		for (const passed of [0, 10, 49, 1]) {
			server.clock.advance(passed);
			times.push(remaining(await badge())['account:badges']);
		}
		expect(times).toEqual([
			{ r: 2, t: 60 },
			{ r: 1, t: 50 },
			{ r: 0, t: 1 },
			{ r: 2, t: 60 },
		]);
	});

	it('refuse with code rate_limited, naming the policy, and tell when to come back', async () => {
		await start();
		await exhaust(3);
		server.clock.advance(12.5);
		const { status, body, headers } = await badge();
		expect(status).toBe(429);
		expect(body).toEqual({
			error: expect.any(String),
			message: expect.stringContaining('account:badges'),
			code: 'rate_limited',
		});
		expect(body['message']).not.toContain('public-api-ip');
		expect(headers['retry-after']).toBe('48');
	});

	it('never show less than nothing remaining', async () => {
		await start();
		await exhaust(3);
		await exhaust(4);
		expect(remaining(await badge())['account:badges']?.['r']).toBe(0);
	});

	it('take nothing from the address when the account refuses', async () => {
		await start();
		await exhaust(3);
		const first = remaining(await badge());
		const second = remaining(await badge());
		expect(first['public-api-ip:badges']).toEqual({ r: 2, t: 60 });
		expect(second).toEqual(first);
	});

	it('take nothing from the account when the address refuses', async () => {
		await start();
		await exhaust(5, { key: null });
		const refused = await badge();
		expect(refused.status).toBe(429);
		expect(refused.body['message']).toContain('public-api-ip:badges');
		expect(remaining(refused)['account:badges']?.['r']).toBe(3);
		expect(remaining(await badge({ from: '192.0.2.9' }))['account:badges']?.['r']).toBe(2);
	});

	it('wait for the longest of the exhausted policies', async () => {
		await start({ BECKON_RATE_PER_ADDRESS: '3' });
		await badge({ from: '192.0.2.1' });
		server.clock.advance(30);
		await exhaust(2, { from: '192.0.2.2' });
		await exhaust(1, { from: '192.0.2.2', key: null });
		const { headers, body } = await badge({ from: '192.0.2.2' });
		expect(limitsIn(headers['ratelimit'])).toEqual({
			'public-api-ip:badges': { r: 0, t: 60 },
			'account:badges': { r: 0, t: 30 },
		});
		expect(headers['retry-after']).toBe('60');
		expect(body['message']).toContain('public-api-ip:badges and account:badges');
	});

	it('do not wait for a policy that has allowance left', async () => {
		await start();
		await badge({ from: '192.0.2.1' });
		server.clock.advance(30);
		await exhaust(2, { from: '192.0.2.2' });
		expect((await badge({ from: '192.0.2.2' })).headers['retry-after']).toBe('30');
	});

	it('do not let one feature use up another', async () => {
		await start();
		await exhaust(4);
		const push = await server.call('POST', '/push-notification', { title: 'Hello' });
		expect(push.status).toBe(200);
		expect(remaining(push)['public-api-ip:notifications']?.['r']).toBe(4);
	});

	it('count all Live Activity endpoints together', async () => {
		await start({ BECKON_RATE_LIVE_ACTIVITIES: '5', BECKON_RATE_PER_ADDRESS: '100' });
		const left: unknown[] = [];
		for (const [feature, , method, path, body] of REQUESTS) {
			if (feature !== 'live-activities') continue;
			left.push(remaining(await server.call(method, path, body))['account:live-activities']?.['r']);
		}
		expect(left).toEqual([4, 3, 2, 1, 0]);
	});

	it('count the keys of one account together and other accounts apart', async () => {
		await start({ BECKON_RATE_PER_ADDRESS: '100' });
		await exhaust(3);
		expect((await badge({ key: await server.addKey(server.account.id) })).status).toBe(429);
		const other = await server.addAccount();
		await server.pairPhone({ account: other.id });
		expect((await badge({ key: other.key })).status).toBe(200);
	});

	it('give a request without a valid key only the address policy, and count it there', async () => {
		await start();
		const missing = await badge({ key: null });
		const unknown = await badge({ key: `bk_${'x'.repeat(43)}` });
		expect(remaining(missing)).toEqual({ 'public-api-ip:badges': { r: 4, t: 60 } });
		expect(policies(missing)).toEqual({ 'public-api-ip:badges': { q: 5, w: 60 } });
		expect(remaining(unknown)).toEqual({ 'public-api-ip:badges': { r: 3, t: 60 } });
	});

	it('answer 429 instead of 401 once the address has used up its allowance', async () => {
		await start();
		await exhaust(5, { key: null });
		const { status, headers } = await badge({ key: null });
		expect(status).toBe(429);
		expect(headers['retry-after']).toBe('60');
		expect(headers['www-authenticate']).toBeUndefined();
	});

	it('take quota and window from the settings', async () => {
		await start({ BECKON_RATE_WINDOW_SECONDS: '7' });
		expect(policies(await badge())['account:badges']).toEqual({ q: 3, w: 7 });
		await exhaust(2);
		server.clock.advance(7);
		expect((await badge()).status).toBe(200);
	});

	it('count requests that come at once one by one', async () => {
		await start({ BECKON_RATE_PER_ADDRESS: '100' });
		const answers = await Promise.all(Array.from({ length: 8 }, () => badge()));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
		expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
	});

	it('lock nobody out when the clock is set back', async () => {
		await start();
		while ((await badge()).status === 200);
		server.clock.advance(-3_600);
		// On PostgreSQL, the first request finds the windows and has them dropped.
		await waitFor('a request to be allowed', async () => (await badge()).status === 200);
	});

	it.each([
		[200, { badge: 1 }, {}],
		[400, { badge: -1 }, {}],
		[400, '{', {}],
		[401, { badge: 1 }, { key: null }],
		[413, { badge: 1, target: { channels: ['x'.repeat(70_000)] } }, {}],
		[415, 'badge=1', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
	])('carry their headers on an answer %i', async (expected, body, options) => {
		await start();
		const answer = await server.call('POST', '/badge', body, options);
		expect(answer.status).toBe(expected);
		expect(remaining(answer)['public-api-ip:badges']).toEqual({ r: 4, t: 60 });
		expect(policies(answer)['public-api-ip:badges']).toEqual({ q: 5, w: 60 });
		expect(answer.headers['retry-after']).toBeUndefined();
	});

	it('carry their headers on 403, 404, 422 and 429', async () => {
		await start({ BECKON_RATE_PER_ADDRESS: '100', BECKON_RATE_BADGES: '2' });
		await server.addChannel('empty');
		await server.addChannel('other');
		const key = await server.addKey(server.account.id, ['empty']);
		const answers = [
			await server.call('POST', '/badge', { badge: 1, target: { channels: ['other'] } }, { key }),
			await server.call('DELETE', '/live-activity/stream/none'),
			await server.call('POST', '/badge', { badge: 1 }, { key }),
			await badge(),
		];
		expect(answers.map(({ status }) => status)).toEqual([403, 404, 422, 429]);
		for (const answer of answers) expect(Object.keys(remaining(answer))).toHaveLength(2);
	});
});
