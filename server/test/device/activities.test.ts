import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

/** An iOS device gets a separate token for each activity, which arrives after its start. */
describe('the activities of a phone', () => {
	let server: TestServer;
	let iphone: TestPhone;
	beforeEach(async () => {
		server = await startTestServer();
		iphone = await server.pairPhone({ platform: 'ios', name: 'iPhone' });
	});
	afterEach(() => server.close());

	const state = (value: number) => ({ type: 'value', title: 'A', value });
	async function start(): Promise<string> {
		const { status, body } = await server.call('POST', '/live-activity/start', {
			content_state: state(0),
		});
		expect({ status, devices: body['devices_notified'] }).toEqual({ status: 200, devices: 2 });
		return body['activity_id'];
	}
	const update = (id: string, value: number) =>
		server.call('POST', '/live-activity/update', { activity_id: id, content_state: { value } });
	const end = (id: string) =>
		server.call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
	const register = (id: string, token = 'token-1') =>
		iphone.call('PUT', `/activities/${id}/token`, { token });
	const shown = async (phone: TestPhone) =>
		(await phone.inbox()).map(({ kind, activity }) => `${kind} ${activity.content_state.value}`);

	it('queue updates until the token arrives, and then send only the newest', async () => {
		const id = await start();
		for (const value of [1, 2, 3]) {
			expect((await update(id, value)).body).toMatchObject({
				devices_queued: 1,
				devices_notified: 1,
			});
		}
		expect(await shown(iphone)).toEqual(['activity_start 0']);
		expect(await shown(server.phone)).toEqual([
			'activity_start 0',
			...[1, 2, 3].map((value) => `activity_update ${value}`),
		]);

		expect(await register(id)).toMatchObject({ status: 200, body: { success: true } });
		expect(await shown(iphone)).toEqual(['activity_start 0', 'activity_update 3']);
		expect((await update(id, 4)).body).toMatchObject({ devices_queued: 0, devices_notified: 2 });
		expect(await shown(iphone)).toEqual([
			'activity_start 0',
			'activity_update 3',
			'activity_update 4',
		]);
	});

	it('send nothing again when a token is replaced by another', async () => {
		const id = await start();
		await update(id, 1);
		await register(id, 'token-1');
		await register(id, 'token-2');
		expect(await shown(iphone)).toEqual(['activity_start 0', 'activity_update 1']);
	});

	it('let an end take the place of the updates that wait', async () => {
		const id = await start();
		await update(id, 1);
		expect((await end(id)).body).toMatchObject({ devices_queued: 1, devices_notified: 1 });
		expect(await shown(iphone)).toEqual(['activity_start 0']);
		await register(id);
		expect(await shown(iphone)).toEqual(['activity_start 0', 'activity_end 1']);
	});

	it('queue for streams as for activities by id', async () => {
		const put = (value: number) =>
			server.call('PUT', '/live-activity/stream/s', { content_state: state(value) });
		const { body } = await put(0);
		expect((await put(1)).body).toMatchObject({
			operation: 'updated',
			devices_queued: 1,
			devices_notified: 1,
		});
		expect((await server.call('DELETE', '/live-activity/stream/s')).body).toMatchObject({
			devices_queued: 1,
			devices_notified: 1,
		});
		await register(body['activity_id']);
		expect(await shown(iphone)).toEqual(['activity_start 0', 'activity_end 1']);
	});

	it('take the tokens of the device, one or both, and nothing else', async () => {
		const tokens = async () =>
			server.context.database.read
				.selectFrom('devices')
				.select(['push_token', 'push_to_start_token'])
				.where('id', '=', iphone.id)
				.executeTakeFirst();
		expect(
			(await iphone.call('PUT', '/tokens', { push_token: 'p1', push_to_start_token: 's1' })).body,
		).toEqual({ success: true });
		expect(await tokens()).toEqual({ push_token: 'p1', push_to_start_token: 's1' });
		await iphone.call('PUT', '/tokens', { push_to_start_token: 's2' });
		expect(await tokens()).toEqual({ push_token: 'p1', push_to_start_token: 's2' });
		for (const wrong of [
			{ push_token: '' },
			{ push_token: 'x'.repeat(513) },
			{ token: 'p' },
			{ push_token: 7 },
		]) {
			expect((await iphone.call('PUT', '/tokens', wrong)).status).toBe(400);
		}
		expect(await tokens()).toEqual({ push_token: 'p1', push_to_start_token: 's2' });
	});

	it('are only those that were started on this phone', async () => {
		await server.addChannel('web', { devices: [server.phone.id] });
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: state(0),
			target: { channels: ['web'] },
		});
		for (const id of [body['activity_id'], 'unknown']) {
			const { status, body: refusal } = await register(id);
			expect({ status, error: refusal['error'] }).toEqual({
				status: 404,
				error: 'Live Activity not found',
			});
			expect((await iphone.call('POST', '/dismissals', { activity_id: id })).status).toBe(404);
		}
	});

	describe('when the person swipes one away', () => {
		it('the phone gets no more of it, and other phones keep it', async () => {
			const id = await start();
			await register(id);
			expect(await iphone.call('POST', '/dismissals', { activity_id: id })).toMatchObject({
				status: 200,
				body: { success: true },
			});
			expect((await iphone.snapshot()).activities).toEqual([]);
			expect((await server.phone.snapshot()).activities).toHaveLength(1);
			expect((await update(id, 1)).body).toMatchObject({ devices_notified: 1, devices_queued: 0 });
			expect((await end(id)).body).toMatchObject({ devices_notified: 1, devices_queued: 0 });
			expect(await shown(iphone)).toEqual(['activity_start 0']);
		});

		it('the phone gets nothing that had waited for its token', async () => {
			const id = await start();
			await update(id, 1);
			await iphone.call('POST', '/dismissals', { activity_id: id });
			await register(id);
			expect(await shown(iphone)).toEqual(['activity_start 0']);
		});

		it('the phone has room for another', async () => {
			const ids = [];
			for (let index = 0; index < 5; index += 1) ids.push(await start());
			const sixth = () => server.call('POST', '/live-activity/start', { content_state: state(0) });
			expect((await sixth()).body).toMatchObject({ limit: 5, active: 5 });
			await iphone.call('POST', '/dismissals', { activity_id: ids[0] });
			expect(await sixth()).toMatchObject({
				status: 429,
				body: { blocked_devices: 1, targeted_devices: 2 },
			});
			await server.phone.call('POST', '/dismissals', { activity_id: ids[3] });
			expect((await sixth()).status).toBe(200);
		});
	});

	it('a notification leaves the screen when the person swipes it away', async () => {
		await server.call('POST', '/push-notification', { title: 'A' });
		await server.call('POST', '/push-notification', { title: 'B' });
		const [first] = await server.phone.inbox();
		expect(
			(await server.phone.call('POST', '/dismissals', { delivery_id: first.id })).body,
		).toEqual({ success: true, undo: expect.any(String) });
		const onScreen = async (phone: TestPhone) =>
			(await phone.snapshot()).notifications.map(({ push }: any) => push.title);
		expect(await onScreen(server.phone)).toEqual(['B']);
		expect(await onScreen(iphone)).toEqual(['B', 'A']);
		// A phone cannot dismiss another phone's delivery.
		const { status, body } = await iphone.call('POST', '/dismissals', { delivery_id: first.id });
		expect({ status, error: body['error'] }).toEqual({ status: 404, error: 'Delivery not found' });
		for (const wrong of [
			{},
			{ delivery_id: 'x' },
			{ activity_id: '' },
			{ delivery_id: first.id, activity_id: 'a' },
		]) {
			expect((await iphone.call('POST', '/dismissals', wrong)).status).toBe(400);
		}
	});
});
