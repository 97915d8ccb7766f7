import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { activityExpiry } from '../../src/service/activities/requests.ts';
import { changeAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { settleDue } from '../support/later.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the limit of five Live Activities on a phone', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const start = (more: Record<string, unknown> = {}) =>
		server.call('POST', '/live-activity/start', { content_state: STATES.alert, ...more });
	const put = (key: string, more: Record<string, unknown> = {}) =>
		server.call('PUT', `/live-activity/stream/${key}`, { content_state: STATES.alert, ...more });
	/** Starts `count` activities, one second apart, and returns their ids. */
	const fill = async (count: number, more: Record<string, unknown> = {}): Promise<string[]> => {
		const ids: string[] = [];
		for (let at = 0; at < count; at += 1) {
			server.clock.advance(1);
			ids.push((await start(more)).body['activity_id']);
		}
		return ids;
	};
	const end = (id: string | undefined) =>
		server.call('POST', '/live-activity/end', { activity_id: id, content_state: {} });

	describe('in a paid account', () => {
		it.each([
			['start', () => start()],
			['stream', () => put('sixth')],
		])('refuses the sixth with limit and active, and nothing else (%s)', async (_way, sixth) => {
			await fill(5);
			const before = await server.phone.inbox();
			const { status, body } = await sixth();
			expect(status).toBe(429);
			expect(body).toEqual({
				error: expect.any(String),
				message: expect.any(String),
				limit: 5,
				active: 5,
			});
			expect(await server.phone.inbox()).toEqual(before);
		});

		it('differs from a rate limit: no code, no Retry-After', async () => {
			await fill(5);
			const { body, headers } = await start();
			expect(body).not.toHaveProperty('code');
			expect(headers['retry-after']).toBeUndefined();
			expect(headers['ratelimit']).toBeDefined();
		});

		it('counts streams and manual activities together', async () => {
			await fill(3);
			await put('a');
			await put('b');
			expect((await start()).status).toBe(429);
			expect((await put('c')).status).toBe(429);
		});

		it('does not count updates', async () => {
			await fill(4);
			await put('s');
			expect((await put('s', { content_state: { message: 'New' } })).body['operation']).toBe(
				'updated',
			);
		});

		it('counts each phone by itself, and tells how many of those targeted are full', async () => {
			await server.addChannel('first', { devices: [server.phone.id] });
			await fill(5, { target: { channels: ['first'] } });
			const second = await server.pairPhone();
			await server.addChannel('second', { devices: [second.id] });
			const mixed = await start();
			expect(mixed.status).toBe(429);
			expect(mixed.body).toMatchObject({
				limit: 5,
				active: 5,
				blocked_devices: 1,
				targeted_devices: 2,
			});
			expect((await start({ target: { channels: ['second'] } })).status).toBe(200);
			expect(await second.inbox()).toHaveLength(1);
		});

		it('does not mention blocked devices when all of several are full', async () => {
			await server.pairPhone();
			await fill(5);
			expect((await start()).body).not.toHaveProperty('blocked_devices');
			expect((await start()).body).not.toHaveProperty('targeted_devices');
		});

		it('has room again after an end', async () => {
			const [first] = await fill(5);
			await end(first);
			expect((await start()).status).toBe(200);
			expect((await start()).status).toBe(429);
		});

		it('has room again after the end of a stream', async () => {
			await fill(4);
			await put('s');
			await server.call('DELETE', '/live-activity/stream/s');
			expect((await start()).status).toBe(200);
		});

		it('has room again after the person dismissed one', async () => {
			const [first] = await fill(5);
			await server.phone.call('POST', '/dismissals', { activity_id: first });
			expect((await start()).status).toBe(200);
		});

		it('does not count what is older than 8 hours, which iOS has ended', async () => {
			await fill(5);
			server.clock.advance(8 * 3_600 - 5);
			expect((await start()).status).toBe(429);
			server.clock.advance(5);
			expect((await start()).status).toBe(200);
		});

		it('ends what is older than 8 hours on the phones too', async () => {
			const ids = await fill(2);
			server.clock.advance(8 * 3_600 - 1);
			expect(await settleDue(server.context, activityExpiry)).toBe(1);
			const last = (await server.phone.inbox()).at(-1);
			expect(last).toMatchObject({ kind: 'activity_end', activity: { activity_id: ids[0] } });
			expect(await settleDue(server.context, activityExpiry)).toBe(0);
		});

		it('lets five through when ten come at once', async () => {
			const answers = await Promise.all(Array.from({ length: 10 }, () => start()));
			expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
			expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
		});
	});

	describe('in a trial account', () => {
		beforeEach(async () => {
			const account = await findAccount(server.context, server.account.id);
			await changeAccount(server.context, account, { plan: 'trial' });
		});

		const running = async () =>
			(await server.phone.snapshot()).activities
				.filter(({ dismiss_at: ended }: { dismiss_at: string | null }) => ended === null)
				.map(({ activity_id: id }: { activity_id: string }) => id);

		it('ends the oldest for the sixth', async () => {
			const ids = await fill(5);
			server.clock.advance(1);
			const sixth = await start();
			expect(sixth.status).toBe(200);
			expect(await running()).toEqual([...ids.slice(1), sixth.body['activity_id']]);
			const [end, begin] = (await server.phone.inbox()).slice(-2);
			expect(end).toMatchObject({ kind: 'activity_end', activity: { activity_id: ids[0] } });
			expect(begin).toMatchObject({ kind: 'activity_start' });
		});

		it('makes room for a stream too, and lets a stream that was ended start again', async () => {
			await put('oldest');
			await fill(4);
			server.clock.advance(1);
			expect((await put('newest')).body).toMatchObject({
				operation: 'started',
				devices_notified: 1,
			});
			server.clock.advance(1);
			expect((await put('oldest')).body['operation']).toBe('started');
			expect(await running()).toHaveLength(5);
		});

		it('makes room on every full phone', async () => {
			const second = await server.pairPhone();
			await server.addChannel('first', { devices: [server.phone.id] });
			await server.addChannel('second', { devices: [second.id] });
			await fill(5, { target: { channels: ['first'] } });
			await fill(5, { target: { channels: ['second'] } });
			server.clock.advance(1);
			expect((await start()).body).toMatchObject({ devices_notified: 2 });
			expect(await running()).toHaveLength(5);
		});

		it('ends nothing while there is room', async () => {
			const ids = await fill(4);
			expect((await start()).status).toBe(200);
			expect(await running()).toEqual(expect.arrayContaining(ids));
		});
	});
});
