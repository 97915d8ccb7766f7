import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

describe('POST /badge', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	it('sets the badge of every device of the account', async () => {
		const { status, body } = await server.call('POST', '/badge', { badge: 7 });
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			badge: 7,
			devices_updated: 1,
			users_updated: 1,
			devices_notified: 1,
			users_notified: 1,
			effective_channel_slugs: null,
			timestamp: new Date(server.clock.now).toISOString(),
		});
		expect((await server.phone.snapshot()).badge).toBe(7);
		expect((await server.phone.inbox()).at(-1)).toMatchObject({ kind: 'badge', badge: 7 });
	});

	it('clears the badge with 0', async () => {
		await server.call('POST', '/badge', { badge: 3 });
		expect((await server.call('POST', '/badge', { badge: 0 })).body['badge']).toBe(0);
		expect((await server.phone.snapshot()).badge).toBe(0);
	});

	it.each([0, 1, 2_147_483_647])('takes %d', async (badge) => {
		expect((await server.call('POST', '/badge', { badge })).body).toMatchObject({
			success: true,
			badge,
		});
	});

	it.each([-1, 2_147_483_648, 1e21, 0.5, '1', true, null, [1], undefined])(
		'refuses %p',
		async (badge) => {
			const { status, body } = await server.call('POST', '/badge', { badge });
			expect(status).toBe(400);
			expect(body['message']).toMatch(/^badge (must|is) /);
		},
	);

	it('takes a whole number however it is written', async () => {
		expect((await server.call('POST', '/badge', '{"badge":4.0}')).body['badge']).toBe(4);
		expect((await server.call('POST', '/badge', '{"badge":1e2}')).body['badge']).toBe(100);
	});

	it.each(['title', 'tags', 'metadata', 'channels'])(
		'does not take the property %s of other requests',
		async (name) => {
			const { status, body } = await server.call('POST', '/badge', { badge: 1, [name]: ['a'] });
			expect(status).toBe(400);
			expect(body['message']).toContain(name);
		},
	);
});

describe('POST /badge, when phones cannot be reached', () => {
	const gateway = new SteeredGateway();
	let server: TestServer;
	let second: TestPhone;

	beforeEach(async () => {
		gateway.answer = undefined;
		server = await startTestServer({
			settings: { ...UNLIMITED, BECKON_FIRST_ATTEMPT_MS: '40' },
			gateway: gateway.before,
		});
		second = await server.pairPhone();
		await server.call('POST', '/badge', { badge: 5 });
		await outcomesRecorded(server);
	});
	afterEach(() => server.close());

	const fail = (kind: 'retry' | 'gone' | 'refused', phone?: TestPhone) => {
		gateway.answer = ({ device }): Outcome | undefined =>
			!phone || device.id === phone.id ? { kind, reason: 'so the test says' } : undefined;
	};
	const failure = (code: string, targeted: number, badge = 9) => ({
		error: expect.any(String),
		message: expect.any(String),
		code,
		badge,
		devices_targeted: targeted,
		devices_updated: 0,
		users_updated: 0,
		devices_notified: 0,
		effective_channel_slugs: null,
	});

	it('answers 422 badge_device_disconnected when every targeted phone was disconnected before', async () => {
		await server.phone.call('DELETE', '/');
		await second.call('DELETE', '/');
		const { status, body } = await server.call('POST', '/badge', { badge: 9 });
		expect(status).toBe(422);
		expect(body).toEqual(failure('badge_device_disconnected', 2));
	});

	it('updates the connected phone beside a disconnected one', async () => {
		await second.call('DELETE', '/');
		const { status, body } = await server.call('POST', '/badge', { badge: 9 });
		expect(status).toBe(200);
		expect(body).toMatchObject({ devices_updated: 1, users_updated: 1 });
	});

	it('answers 422 when every gateway says that its phone is gone, and disconnects the phones', async () => {
		fail('gone');
		const { status, body } = await server.call('POST', '/badge', { badge: 9 });
		expect(status).toBe(422);
		expect(body).toEqual(failure('badge_device_disconnected', 2));
		gateway.answer = undefined;
		expect((await server.call('POST', '/push-notification', { title: 'Hello' })).status).toBe(422);
		expect((await server.phone.call('GET', '/snapshot')).status).toBe(401);
	});

	it('leaves a phone that is gone out of the counts, and does not send to it again', async () => {
		fail('gone', second);
		const first = await server.call('POST', '/badge', { badge: 9 });
		expect(first.body).toMatchObject({ devices_updated: 1, users_updated: 1, devices_notified: 1 });
		await outcomesRecorded(server);
		const before = gateway.seen.length;
		await server.call('POST', '/badge', { badge: 10 });
		expect(gateway.seen.slice(before).map(({ device }) => device.id)).toEqual([server.phone.id]);
	});

	it.each(['retry', 'refused'] as const)(
		'answers 502 badge_update_failed when every attempt ends in %s',
		async (kind) => {
			fail(kind);
			const { status, body } = await server.call('POST', '/badge', { badge: 9 });
			expect(status).toBe(502);
			expect(body).toEqual(failure('badge_update_failed', 2));
		},
	);

	it('answers 502 when a gateway breaks', async () => {
		gateway.answer = () => {
			throw new Error('connection reset');
		};
		const { status, body } = await server.call('POST', '/badge', { badge: 9 });
		expect(status).toBe(502);
		expect(JSON.stringify(body)).not.toContain('connection reset');
	});

	it('answers 502 when one phone is gone and the other fails', async () => {
		gateway.answer = ({ device }) => ({
			kind: device.id === second.id ? 'gone' : 'retry',
			reason: 'x',
		});
		expect((await server.call('POST', '/badge', { badge: 9 })).status).toBe(502);
	});

	it('succeeds when one phone took it, and keeps trying the other', async () => {
		fail('retry', second);
		const { status, body } = await server.call('POST', '/badge', { badge: 9 });
		expect(status).toBe(200);
		expect(body).toMatchObject({ devices_updated: 2, users_updated: 1 });
		gateway.answer = undefined;
		await outcomesRecorded(server);
		server.clock.advance(60);
		expect(await server.context.outbox.runOnce()).toBe(1);
		expect(gateway.seen.at(-1)?.device.id).toBe(second.id);
	});

	it.each(['retry', 'refused'] as const)(
		'does not show a badge that was answered as failed (%s), now or later',
		async (kind) => {
			fail(kind);
			await server.call('POST', '/badge', { badge: 9 });
			expect((await server.phone.snapshot()).badge).toBe(5);
			gateway.answer = undefined;
			await outcomesRecorded(server);
			server.clock.advance(24 * 3_600);
			expect(await server.context.outbox.runOnce()).toBe(0);
			expect((await server.phone.snapshot()).badge).toBe(5);
			expect((await server.phone.inbox()).map(({ badge }) => badge)).toEqual([5]);
		},
	);

	it('answers once the time for first attempts is over, counting what is still under way as notified', async () => {
		const late: Array<() => void> = [];
		gateway.answer = () =>
			new Promise<Outcome>((resolve) => late.push(() => resolve({ kind: 'handed_over' })));
		const { status, body } = await server.call('POST', '/badge', { badge: 9 });
		expect(late).toHaveLength(2);
		for (const finish of late) finish();
		expect(status).toBe(200);
		expect(body).toMatchObject({ devices_updated: 2, users_updated: 1 });
	});
});
