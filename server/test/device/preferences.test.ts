import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { preferences } from '../../src/contract/device.ts';
import { addUser } from '../../src/service/people/people.ts';
import { type EventStream, followEvents } from '../support/events.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

/** docs/device-protocol.md "Preferences". */
describe('the preferences of a person', () => {
	let server: TestServer;
	let phone: TestPhone;
	let other: TestPhone;
	let page: EventStream | undefined;
	beforeEach(async () => {
		server = await startTestServer();
		({ phone } = server);
		other = await server.pairPhone({ name: 'Other' });
	});
	afterEach(async () => {
		await page?.close();
		page = undefined;
		await server.close();
	});

	const prefer = (change: object) => phone.call('PUT', '/preferences', change);
	const push = (title: string) => server.call('POST', '/push-notification', { title });
	const titles = async (who: TestPhone) =>
		(await who.snapshot()).notifications.map((one: any) => one.push.title);
	const firstOf = async (who: TestPhone) => (await who.inbox())[0].id as number;
	const start = async () =>
		(
			await server.call('POST', '/live-activity/start', {
				content_state: { type: 'value', title: 'Deploy', value: 1 },
			})
		).body['activity_id'] as string;

	it('are the same on all of their phones', async () => {
		expect((await other.snapshot()).preferences).toEqual({
			seen_once: false,
			metrics: { order: [], hidden: [] },
		});
		const metrics = { order: ['orders', 'revenue'], hidden: ['cpu'] };
		const { status, body } = await prefer({ metrics });
		expect(status).toBe(200);
		expect(preferences.parse(body)).toEqual({ seen_once: false, metrics });
		await prefer({ seen_once: true });
		expect((await other.snapshot()).preferences).toEqual({ seen_once: true, metrics });
	});

	it.each([
		['seen_once', { seen_once: 'yes' }],
		['metrics.order[0]', { metrics: { order: ['No Key'], hidden: [] } }],
	])('refuse a wrong %s', async (path, change) => {
		const { status, body } = await prefer(change);
		expect(status).toBe(400);
		expect(body['message']).toContain(path);
	});

	describe('of one who wants to see things once', () => {
		beforeEach(async () => {
			await prefer({ seen_once: true });
			await push('One');
			await push('Two');
		});

		it('take a dismissed notification off their other phones, and tell open pages', async () => {
			const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
			const { cursor } = await other.snapshot();
			page = await followEvents(base, other.token, { after: cursor });
			await phone.call('POST', '/dismissals', { delivery_id: await firstOf(phone) });
			expect(await titles(other)).toEqual(['Two']);
			await page.waitForEvent(
				'the one that is left',
				({ event, data }) => event === 'notifications' && data.count === 1,
			);
		});

		it('take it off a page that was offline meanwhile, once it is back', async () => {
			const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
			const { cursor } = await other.snapshot();
			await phone.call('POST', '/dismissals', { delivery_id: await firstOf(phone) });
			page = await followEvents(base, other.token, { after: cursor });
			await page.waitForEvent(
				'the one that is left',
				({ event, data }) => event === 'notifications' && data.count === 1,
			);
		});

		it('take a dismissed question off their other phones', async () => {
			await server.call('POST', '/questions', {
				title: 'Deploy?',
				choices: [{ id: 'yes', title: 'Yes' }],
			});
			const questions = async (who: TestPhone) => (await who.snapshot()).questions;
			const [{ id }] = await questions(phone);
			const { body } = await phone.call('POST', '/dismissals', { delivery_id: id });
			expect([await questions(phone), await questions(other)]).toEqual([[], []]);
			const { undo } = body;
			await phone.call('POST', '/notifications/restore', { undo });
			expect([await questions(phone), await questions(other)]).toEqual([
				[expect.objectContaining({ id })],
				[expect.anything()],
			]);
		});

		it('take a dismissed Live Activity off their other phones, and tell open pages', async () => {
			const id = await start();
			const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
			const { cursor, activities } = await other.snapshot();
			expect(activities).toHaveLength(1);
			page = await followEvents(base, other.token, { after: cursor });
			await phone.call('POST', '/dismissals', { activity_id: id });
			expect((await other.snapshot()).activities).toEqual([]);
			await page.waitForEvent(
				'no Live Activity',
				({ event, data }) => event === 'notifications' && data.activity_ids.length === 0,
			);
		});

		it('clear all of their phones together, and undo it together', async () => {
			const { cursor } = await phone.snapshot();
			await push('Three');
			const { body } = await phone.call('POST', '/notifications/clear', { up_to: cursor });
			expect(body).toMatchObject({ cleared: 2 });
			expect(await titles(other)).toEqual(['Three']);
			const { undo } = body;
			const restored = await phone.call('POST', '/notifications/restore', { undo });
			expect(restored.body).toEqual({ restored: 2 });
			expect(await titles(other)).toEqual(['Three', 'Two', 'One']);
		});

		it('leave the phones of others alone', async () => {
			await addUser(server.context, server.account.id, { name: 'Ben' });
			const bens = await server.pairPhone({ user: 'Ben', name: 'Ben’s' });
			await push('For all');
			const { cursor } = await phone.snapshot();
			await phone.call('POST', '/notifications/clear', { up_to: cursor });
			expect(await titles(bens)).toEqual(['For all']);
		});
	});

	it('keep a notification on their other phones unless they want to see things once', async () => {
		await push('One');
		await phone.call('POST', '/dismissals', { delivery_id: await firstOf(phone) });
		expect(await titles(other)).toEqual(['One']);
	});

	it('may be to see no badge, on this phone, until the next one', async () => {
		const badges = async () => [(await phone.snapshot()).badge, (await other.snapshot()).badge];
		await server.call('POST', '/badge', { badge: 7 });
		expect((await phone.call('DELETE', '/badge')).status).toBe(200);
		expect(await badges()).toEqual([0, 7]);
		await server.call('POST', '/badge', { badge: 2 });
		expect(await badges()).toEqual([2, 2]);
	});
});
