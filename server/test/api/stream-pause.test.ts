import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { historyOf } from '../support/history.ts';
import { pauseStream, resumeStream } from '../../src/service/streams/requests.ts';
import { OPEN_URL, STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a paused stream', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const put = async (state: Record<string, unknown>, more: Record<string, unknown> = {}) =>
		(await server.call('PUT', '/live-activity/stream/s', { content_state: state, ...more })).body;
	const pause = () => pauseStream(server.context, server.account.id, 's');
	const resume = () => resumeStream(server.context, server.account.id, 's');
	const last = async () => (await server.phone.inbox()).at(-1);

	it('has its activity ended at once', async () => {
		await put(STATES.alert);
		await pause();
		expect(await last()).toMatchObject({ kind: 'activity_end' });
		expect((await server.phone.snapshot()).activities).toEqual([]);
	});

	it('answers paused, with no activity, and sends nothing', async () => {
		await put(STATES.progress);
		await pause();
		const before = (await server.phone.inbox()).length;
		const body = await put({ percentage: 80 }, { alert: { title: 'Look' }, tags: ['a'] });
		expect(body).toMatchObject({
			operation: 'paused',
			activity_id: null,
			devices_notified: 0,
			users_notified: 0,
			devices_queued: 0,
			tags: ['a'],
		});
		expect(body).not.toHaveProperty('previous_activity_id');
		expect(await server.phone.inbox()).toHaveLength(before);
	});

	it('answers paused before any other operation, whatever the type, audience and age', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		await put(STATES.progress);
		await pause();
		server.clock.advance(100_000);
		expect((await put(STATES.alert, { channels: ['ops'] }))['operation']).toBe('paused');
	});

	it('still refuses what breaks a rule', async () => {
		await put(STATES.progress);
		await pause();
		const { status } = await server.call('PUT', '/live-activity/stream/s', {
			content_state: { percentage: 101 },
		});
		expect(status).toBe(400);
	});

	it('restarts from what it was told meanwhile, when it is resumed', async () => {
		await put({ ...STATES.progress, subtitle: 'kept' }, { tags: ['old'] });
		await pause();
		await put({ percentage: 80 }, { action: OPEN_URL });
		await put({ title: 'Backup 2' }, { tags: ['new'] });
		server.clock.advance(1);
		expect(await resume()).toBe(true);
		expect(await last()).toMatchObject({
			kind: 'activity_start',
			activity: {
				content_state: { title: 'Backup 2', percentage: 80, subtitle: 'kept' },
				action: OPEN_URL,
			},
		});
		const [newest] = await historyOf(server.context, server.account.id, { tags: [], limit: 1 });
		expect(newest).toMatchObject({ tags: ['new'] });
	});

	it('goes on with the resumed activity', async () => {
		await put(STATES.progress);
		await pause();
		await resume();
		expect((await put(STATES.progress))['operation']).toBe('noop');
		expect((await put({ percentage: 99 }))['operation']).toBe('updated');
	});

	it('restarts for the audience that it was given meanwhile', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		await put(STATES.progress);
		await pause();
		await put({}, { channels: ['ops'] });
		await resume();
		expect((await put({}, { channels: ['ops'] }))['operation']).toBe('noop');
	});

	it('lets a timer go on that ran when it was paused', async () => {
		await put(STATES.timer);
		const begun = server.clock.now;
		server.clock.advance(60);
		await pause();
		server.clock.advance(60);
		await resume();
		expect((await last()).activity.content_state.timer).toMatchObject({
			is_running: true,
			ends_at: new Date(begun + 240_000).toISOString(),
		});
	});

	it('is ended by DELETE like any other, with no activity to name', async () => {
		await put(STATES.alert);
		await pause();
		const { status, body } = await server.call('DELETE', '/live-activity/stream/s');
		expect(status).toBe(200);
		expect(body).toMatchObject({ operation: 'ended', activity_id: null, devices_notified: 0 });
		expect((await put(STATES.alert))['operation']).toBe('started');
	});

	it('cannot be paused twice or resumed twice, and must exist for either', async () => {
		await expect(pause()).rejects.toMatchObject({ kind: 'not_found' });
		await expect(resume()).rejects.toMatchObject({ kind: 'not_found' });
		await put(STATES.alert);
		await expect(resume()).rejects.toMatchObject({ kind: 'conflict' });
		await pause();
		await expect(pause()).rejects.toMatchObject({ kind: 'conflict' });
	});

	it('starts with the next call when it was resumed for nobody', async () => {
		await put(STATES.alert);
		await pause();
		await server.phone.call('DELETE', '/');
		expect(await resume()).toBe(false);
		const phone = await server.pairPhone();
		expect(await put({ message: 'Back' })).toMatchObject({
			operation: 'started',
			devices_notified: 1,
		});
		expect((await phone.inbox()).at(-1).activity.content_state).toMatchObject({
			title: 'Disk',
			message: 'Back',
		});
	});
});
