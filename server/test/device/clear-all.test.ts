import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventStream, followEvents } from '../support/events.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SENT = 60;

describe('clearing all notifications', () => {
	let server: TestServer;
	let page: EventStream | undefined;
	beforeEach(async () => {
		server = await startTestServer({
			settings: { BECKON_RATE_NOTIFICATIONS: '1000', BECKON_RATE_PER_ADDRESS: '1000' },
		});
		for (let n = 0; n < SENT; n += 1) await push(`${n}`);
	});
	afterEach(async () => {
		await page?.close();
		await server.close();
	});

	const push = (title: string) => server.call('POST', '/push-notification', { title });
	const shown = async () => {
		const { notifications, notification_count: count } = await server.phone.snapshot();
		return { cards: notifications.length, count };
	};
	const clear = async (upTo: number) =>
		(await server.phone.call('POST', '/notifications/clear', { up_to: upTo })).body;

	it('clears even those that the snapshot does not have, with one request', async () => {
		expect(await shown()).toEqual({ cards: 50, count: SENT });
		const { cursor } = await server.phone.snapshot();
		expect(await clear(cursor)).toMatchObject({ cleared: SENT });
		expect(await shown()).toEqual({ cards: 0, count: 0 });
		expect(await clear(cursor)).toMatchObject({ cleared: 0 });
	});

	it('leaves what came after the last that the phone knew', async () => {
		const { cursor } = await server.phone.snapshot();
		await push('new');
		await clear(cursor);
		expect(await shown()).toEqual({ cards: 1, count: 1 });
	});

	it('leaves other phones alone', async () => {
		const other = await server.pairPhone({ name: 'Other' });
		await push('for both');
		await clear((await server.phone.snapshot()).cursor + SENT);
		expect((await other.snapshot()).notification_count).toBe(1);
	});

	it('can be undone, without what was dismissed before', async () => {
		const [{ id }] = await server.phone.inbox();
		await server.phone.call('POST', '/dismissals', { delivery_id: id });
		server.clock.advance(1);
		const { undo } = await clear((await server.phone.snapshot()).cursor);
		const { body } = await server.phone.call('POST', '/notifications/restore', { undo });
		expect(body).toEqual({ restored: SENT - 1 });
		expect(await shown()).toEqual({ cards: 50, count: SENT - 1 });
	});

	it('takes the questions that have ended, and brings them back, but leaves open ones', async () => {
		const ask = async (title: string) => {
			const choices = [{ id: 'yes', title: 'Yes' }];
			const { body } = await server.call('POST', '/questions', { title, choices });
			return body['question_id'] as string;
		};
		const titles = async () =>
			(await server.phone.snapshot()).questions.map((one: any) => one.push.title);
		const ended = await ask('Ended?');
		await ask('Open?');
		await server.call('DELETE', `/questions/${ended}`);
		expect(await titles()).toEqual(['Open?', 'Ended?']);
		const { cleared, undo } = await clear((await server.phone.snapshot()).cursor);
		expect(cleared).toBe(SENT + 1);
		expect(await titles()).toEqual(['Open?']);
		await server.phone.call('POST', '/notifications/restore', { undo });
		expect(await titles()).toEqual(['Open?', 'Ended?']);
	});

	it('leaves the undoing of a single dismissal, of a notification or a Live Activity', async () => {
		await server.call('PUT', '/live-activity/stream/s', {
			content_state: { type: 'value', title: 'Euro', value: 1 },
		});
		const before = await server.phone.snapshot();
		const [{ id }] = before.notifications;
		const [{ activity_id }] = before.activities;
		const undos: string[] = [];
		for (const what of [{ delivery_id: id }, { activity_id }]) {
			undos.push((await server.phone.call('POST', '/dismissals', what)).body['undo']);
			server.clock.advance(1);
		}
		expect(await server.phone.snapshot()).toMatchObject({
			notification_count: SENT - 1,
			activities: [],
		});
		for (const undo of undos) {
			const { body } = await server.phone.call('POST', '/notifications/restore', { undo });
			expect(body).toEqual({ restored: 1 });
		}
		const { notifications, activities } = await server.phone.snapshot();
		expect({ notifications, activities }).toEqual({
			notifications: before.notifications,
			activities: before.activities,
		});
	});

	it('refuses an undo that no clearing has returned', async () => {
		const { status, body } = await server.phone.call('POST', '/notifications/restore', {
			undo: 'x',
		});
		expect(status).toBe(400);
		expect(body['message']).toMatch(/undo must be the undo value that clearing returned/);
	});

	it('reaches the phone’s open pages, like its undoing and a single dismissal', async () => {
		const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
		const { cursor, notifications } = await server.phone.snapshot();
		page = await followEvents(base, server.phone.token, { after: cursor });
		const told = (count: number) =>
			page!.waitForEvent(
				`${count} notifications`,
				({ event, data }) => event === 'notifications' && data.count === count,
			);
		await server.phone.call('POST', '/dismissals', { delivery_id: notifications[0].id });
		expect((await told(SENT - 1)).data.ids).not.toContain(notifications[0].id);
		server.clock.advance(1);
		const { undo } = await clear(cursor);
		expect((await told(0)).data).toEqual({
			cursor,
			ids: [],
			count: 0,
			question_ids: [],
			activity_ids: [],
		});
		page.events.length = 0;
		await server.phone.call('POST', '/notifications/restore', { undo });
		expect((await told(SENT - 1)).data.ids).toHaveLength(50);
	});
});
