import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const DAY = 24 * 3_600;

describe('what an account may send', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({
			settings: { ...UNLIMITED, BECKON_UPGRADE_URL: 'https://example.com/plans' },
		});
	});
	afterEach(() => server.close());

	const change = async (settings: Parameters<typeof changeAccount>[2]) =>
		changeAccount(server.context, await findAccount(server.context, server.account.id), settings);
	const push = () => server.call('POST', '/push-notification', { title: 'Hello' });
	const start = () => server.call('POST', '/live-activity/start', { content_state: STATES.alert });
	const put = (message = 'x') =>
		server.call('PUT', '/live-activity/stream/s', { content_state: { ...STATES.alert, message } });

	it('has no limit in a paid account without settings', async () => {
		server.clock.advance(1_000 * DAY);
		expect([(await push()).status, (await start()).status, (await put()).status]).toEqual([
			200, 200, 200,
		]);
	});

	it('ends with the trial: trial_expired, with its period and where to upgrade', async () => {
		const now = server.clock.now;
		await change({ plan: 'trial', trial_ends_at: now + 14 * DAY * 1_000 });
		server.clock.advance(14 * DAY - 1);
		expect((await push()).status).toBe(200);
		server.clock.advance(1);
		for (const send of [push, start, put]) {
			const { status, body } = await send();
			expect(status).toBe(402);
			expect(body).toEqual({
				error: 'trial_expired',
				message: expect.stringContaining('trial'),
				trial_period: {
					started_at: new Date(now).toISOString(),
					ends_at: new Date(now + 14 * DAY * 1_000).toISOString(),
				},
				upgrade_url: 'https://example.com/plans',
			});
		}
	});

	it('is as many sends as the trial holds: trial_exhausted', async () => {
		await change({ plan: 'trial', trial_ends_at: server.clock.now + DAY * 1_000, quota: 3 });
		expect([(await push()).status, (await start()).status, (await put()).status]).toEqual([
			200, 200, 200,
		]);
		for (const send of [push, start, put]) {
			const { status, body } = await send();
			expect(status).toBe(402);
			expect(body).toMatchObject({
				error: 'trial_exhausted',
				trial_period: expect.any(Object),
				upgrade_url: 'https://example.com/plans',
			});
		}
	});

	it('is exactly that many when more come at once', async () => {
		await change({ plan: 'trial', trial_ends_at: server.clock.now + DAY * 1_000, quota: 7 });
		const answers = await Promise.all(Array.from({ length: 20 }, push));
		const refused = answers.filter(({ status }) => status === 402);
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
		expect(refused).toHaveLength(13);
		for (const { body } of refused) expect(body).toMatchObject({ error: 'trial_exhausted' });
		expect(await server.phone.inbox()).toHaveLength(7);
	});

	it('is quota and overage cap in a paid account: billing_overage_cap_reached, no trial period', async () => {
		await change({ quota: 1, overage_cap: 2 });
		for (let sent = 0; sent < 3; sent += 1) expect((await push()).status).toBe(200);
		for (const send of [push, start, put]) {
			const { status, body } = await send();
			expect(status).toBe(402);
			expect(body).toEqual({
				error: 'billing_overage_cap_reached',
				message: expect.any(String),
				upgrade_url: 'https://example.com/plans',
			});
		}
	});

	it('begins anew each month in a paid account', async () => {
		await change({ quota: 1, overage_cap: 0 });
		await push();
		expect((await push()).status).toBe(402);
		server.clock.now = Date.parse('2026-03-31T23:59:59Z');
		expect((await push()).status).toBe(402);
		server.clock.now = Date.parse('2026-04-01T00:00:00Z');
		expect((await push()).status).toBe(200);
	});

	it('is not used up by what was refused or changed nothing', async () => {
		await change({ quota: 2, overage_cap: 0 });
		await server.call('POST', '/push-notification', { title: '' });
		await server.addChannel('empty');
		await server.call('POST', '/push-notification', {
			title: 'x',
			target: { channels: ['empty'] },
		});
		await put();
		await put();
		expect((await push()).status).toBe(200);
		expect((await push()).status).toBe(402);
	});

	it('does not hold back badges, metrics, and what ends or updates an activity', async () => {
		const { body } = await start();
		await put();
		await server.addMetric({ key: 'cpu', name: 'CPU' });
		await change({ quota: 0, overage_cap: 0 });
		expect((await push()).status).toBe(402);
		const answers = [
			await server.call('POST', '/badge', { badge: 1 }),
			await server.call('POST', '/metrics/cpu/value', { value: 1 }),
			await server.call('POST', '/live-activity/update', {
				activity_id: body['activity_id'],
				content_state: { message: 'y' },
			}),
			await server.call('POST', '/live-activity/end', {
				activity_id: body['activity_id'],
				content_state: {},
			}),
			await server.call('DELETE', '/live-activity/stream/s'),
		];
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
	});

	it('delivers nothing when it is refused', async () => {
		await change({ quota: 0, overage_cap: 0 });
		await push();
		await start();
		await put();
		expect(await server.phone.inbox()).toEqual([]);
	});

	it('does not depend on another account', async () => {
		await change({ quota: 0, overage_cap: 0 });
		const other = await server.addAccount();
		await server.pairPhone({ account: other.id });
		expect(
			(await server.call('POST', '/push-notification', { title: 'Hello' }, { key: other.key }))
				.status,
		).toBe(200);
	});

	it('is counted exactly when many sends come at once', async () => {
		await change({ quota: 4, overage_cap: 0 });
		const answers = await Promise.all(Array.from({ length: 9 }, push));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
	});
});
