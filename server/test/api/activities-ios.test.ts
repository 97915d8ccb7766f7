import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

describe('a Live Activity on an iOS phone, whose token for it comes later', () => {
	let server: TestServer;
	let ios: TestPhone;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		ios = await server.pairPhone({ platform: 'ios' });
	});
	afterEach(() => server.close());

	const start = async () => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.progress,
		});
		expect(body['devices_notified']).toBe(2);
		return body['activity_id'] as string;
	};
	const send = async (verb: 'update' | 'end', id: string, state: Record<string, unknown>) =>
		(await server.call('POST', `/live-activity/${verb}`, { activity_id: id, content_state: state }))
			.body;
	const register = (id: string, phone = ios) =>
		phone.call('PUT', `/activities/${id}/token`, { token: 'activity-token' });
	const kinds = async (phone = ios) => (await phone.inbox()).map(({ kind }) => kind);

	it('is started at once', async () => {
		await start();
		expect(await kinds()).toEqual(['activity_start']);
	});

	it('has an update queued, while a browser gets it', async () => {
		const id = await start();
		expect(await send('update', id, { percentage: 50 })).toMatchObject({
			devices_queued: 1,
			devices_notified: 1,
		});
		expect(await kinds()).toEqual(['activity_start']);
		expect(await kinds(server.phone)).toEqual(['activity_start', 'activity_update']);
	});

	it('gets what waited when the token is registered', async () => {
		const id = await start();
		await send('update', id, { percentage: 50 });
		expect((await register(id)).status).toBe(200);
		expect((await ios.inbox()).at(-1)).toMatchObject({
			kind: 'activity_update',
			activity: { content_state: { percentage: 50 } },
		});
	});

	it('gets only the newest of several updates that waited', async () => {
		const id = await start();
		for (const percentage of [50, 60, 70]) await send('update', id, { percentage });
		await register(id);
		expect(await kinds()).toEqual(['activity_start', 'activity_update']);
		expect((await ios.inbox()).at(-1).activity.content_state.percentage).toBe(70);
	});

	it('gets the end alone when it came before the token', async () => {
		const id = await start();
		await send('update', id, { percentage: 50 });
		expect(await send('end', id, {})).toMatchObject({ devices_queued: 1, devices_notified: 1 });
		await register(id);
		expect(await kinds()).toEqual(['activity_start', 'activity_end']);
	});

	it('gets updates at once after the token is registered', async () => {
		const id = await start();
		await register(id);
		expect(await kinds()).toEqual(['activity_start']);
		expect(await send('update', id, { percentage: 50 })).toMatchObject({
			devices_queued: 0,
			devices_notified: 2,
		});
		expect(await kinds()).toEqual(['activity_start', 'activity_update']);
	});

	it('gets what waited once, however often the token is registered', async () => {
		const id = await start();
		await send('update', id, { percentage: 50 });
		await register(id);
		await register(id);
		expect(await kinds()).toEqual(['activity_start', 'activity_update']);
	});

	it('needs a token of its own', async () => {
		const first = await start();
		const second = await start();
		await register(first);
		expect((await send('update', first, { percentage: 50 }))['devices_queued']).toBe(0);
		expect((await send('update', second, { percentage: 50 }))['devices_queued']).toBe(1);
	});

	it('queues the updates and the end of a stream alike', async () => {
		const put = async (state: Record<string, unknown>) =>
			(await server.call('PUT', '/live-activity/stream/s', { content_state: state })).body;
		const started = await put(STATES.progress);
		expect(started).toMatchObject({ devices_notified: 2, users_notified: 1, devices_queued: 0 });
		expect(await put({ percentage: 50 })).toMatchObject({
			operation: 'updated',
			devices_notified: 1,
			devices_queued: 1,
		});
		const { body } = await server.call('DELETE', '/live-activity/stream/s');
		expect(body).toMatchObject({ devices_notified: 1, devices_queued: 1 });
		await register(started['activity_id']);
		expect(await kinds()).toEqual(['activity_start', 'activity_end']);
	});

	it('refuses a token on a phone where it was not started', async () => {
		const id = await start();
		const late = await server.pairPhone({ platform: 'ios' });
		expect((await register(id, late)).status).toBe(404);
		expect((await register('unknown')).status).toBe(404);
	});

	it('gets what waited as muted, and not as held back too, where it is both', async () => {
		await server.addChannel('ops', { devices: [ios.id] });
		await ios.call('PUT', '/channels/ops', { muted: true });
		await ios.call('PUT', '/quiet', {
			hours: null,
			time_zone: null,
			minimum_level: 'critical',
			questions: false,
		});
		const put = (value: number, more: object = {}) =>
			server.call('PUT', '/live-activity/stream/deploy', {
				content_state: { type: 'value', title: 'Deploy', value },
				target: { channels: ['ops'] },
				...more,
			});
		const { body } = await put(1);
		const updated = await put(2, { alert: { title: 'Look' } });
		expect(updated).toMatchObject({ status: 200, body: { devices_queued: 1 } });
		await register(body['activity_id']);
		const last = (await ios.inbox()).at(-1);
		expect(last).toMatchObject({ kind: 'activity_update', muted: true });
		expect(last.held).toBeUndefined();
	});

	it('does not wait for a phone that has dismissed it', async () => {
		const id = await start();
		await ios.call('POST', '/dismissals', { activity_id: id });
		expect(await send('update', id, { percentage: 50 })).toMatchObject({
			devices_queued: 0,
			devices_notified: 1,
		});
	});
});

describe('an update that waits for the token of an iOS phone', () => {
	it('is kept across a restart of the server', async () => {
		const directory = mkdtempSync(join(tmpdir(), 'beckon-test-'));
		const before = await startTestServer({ directory });
		const { id: account, key } = await before.addAccount();
		const phone = await before.pairPhone({ account, platform: 'ios' });
		const { body } = await before.call(
			'POST',
			'/live-activity/start',
			{ content_state: STATES.alert },
			{ key },
		);
		const { activity_id: id } = body;
		await before.call(
			'POST',
			'/live-activity/update',
			{ activity_id: id, content_state: { message: 'Full' } },
			{ key },
		);
		await before.close();

		const after = await startTestServer({ directory });
		const headers = { authorization: `Bearer ${phone.token}` };
		await after.app.inject({
			method: 'PUT',
			url: `/device/activities/${id}/token`,
			headers,
			payload: { token: 't' },
		});
		const inbox = await after.app.inject({ method: 'GET', url: '/device/inbox', headers });
		await after.close();
		rmSync(directory, { recursive: true });
		expect(inbox.json().deliveries.at(-1)).toMatchObject({
			kind: 'activity_update',
			activity: { activity_id: id, content_state: { message: 'Full' } },
		});
	});
});
