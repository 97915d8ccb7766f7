import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { activityExpiry } from '../../src/service/activities/requests.ts';
import { settleDue } from '../support/later.ts';
import { historyOf } from '../support/history.ts';
import { OPEN_URL, STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** 7 h 45 min. */
const ROTATION_AGE = 27_900;

describe('the rotation of a stream', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('dev', { users: ['owner'] });
	});
	afterEach(() => server.close());

	const put = async (state: Record<string, unknown>, more: Record<string, unknown> = {}) =>
		(await server.call('PUT', '/live-activity/stream/s', { content_state: state, ...more })).body;

	it('names the activity that it ends and the one that it starts', async () => {
		const first = await put(STATES.progress);
		const rotated = await put(STATES.alert);
		expect(rotated).toMatchObject({
			operation: 'rotated',
			previous_activity_id: first['activity_id'],
			devices_notified: 1,
			users_notified: 1,
			devices_queued: 0,
		});
		expect(rotated['activity_id']).not.toBe(first['activity_id']);
		const inbox = await server.phone.inbox();
		expect(inbox.map(({ kind, activity }) => [kind, activity.activity_id])).toEqual([
			['activity_start', first['activity_id']],
			['activity_end', first['activity_id']],
			['activity_start', rotated['activity_id']],
		]);
	});

	it('is the only operation that names a previous activity', async () => {
		for (const state of [STATES.progress, { percentage: 50 }, {}]) {
			expect(await put(state)).not.toHaveProperty('previous_activity_id');
		}
	});

	it('comes with the first call after 7 h 45 min, and not before', async () => {
		const first = await put(STATES.progress);
		server.clock.advance(ROTATION_AGE);
		expect((await put({ percentage: 50 }))['operation']).toBe('updated');
		server.clock.advance(1);
		expect(await put({ percentage: 60 })).toMatchObject({
			operation: 'rotated',
			previous_activity_id: first['activity_id'],
		});
	});

	it('comes by age even when nothing changed', async () => {
		await put(STATES.progress);
		server.clock.advance(ROTATION_AGE + 1);
		expect((await put({}))['operation']).toBe('rotated');
		expect((await put({}))['operation']).toBe('noop');
	});

	it('comes with an alert once everybody has dismissed the activity, which then counts for nobody', async () => {
		const more = await server.pairPhone({ name: 'Second' });
		const first = await put(STATES.progress);
		const dismissed = { activity_id: first['activity_id'] };
		const alert = { title: 'Almost' };
		await server.phone.call('POST', '/dismissals', dismissed);
		expect((await put({ percentage: 50 }, { alert }))['operation']).toBe('updated');
		await more.call('POST', '/dismissals', dismissed);
		expect(await put({ percentage: 60 })).toMatchObject({
			operation: 'updated',
			devices_notified: 0,
		});
		expect(await put({ percentage: 60 }, { alert })).toMatchObject({
			operation: 'rotated',
			devices_notified: 2,
		});
		expect((await server.phone.inbox()).at(-1)).toMatchObject({
			kind: 'activity_start',
			alert,
			activity: { content_state: { percentage: 60 } },
		});
	});

	it('takes the age from the settings', async () => {
		const young = await startTestServer({ settings: { BECKON_ROTATION_AGE_SECONDS: '10' } });
		try {
			const operation = async () =>
				(await young.call('PUT', '/live-activity/stream/s', { content_state: STATES.alert })).body[
					'operation'
				];
			const operations = [await operation()];
			for (const passed of [10, 1]) {
				young.clock.advance(passed);
				operations.push(await operation());
			}
			expect(operations).toEqual(['started', 'noop', 'rotated']);
		} finally {
			await young.close();
		}
	});

	it('comes after iOS has ended the activity by itself', async () => {
		const first = await put(STATES.progress);
		server.clock.advance(8 * 3_600);
		expect(await settleDue(server.context, activityExpiry)).toBe(1);
		expect(await put({ percentage: 50 })).toMatchObject({
			operation: 'rotated',
			previous_activity_id: first['activity_id'],
		});
		expect((await server.phone.inbox()).map(({ kind }) => kind)).toEqual([
			'activity_start',
			'activity_end',
			'activity_start',
		]);
	});

	it('carries the state, the buttons and the tags over to the new activity', async () => {
		await put({ ...STATES.progress, subtitle: 'kept' }, { action: OPEN_URL, tags: ['a'] });
		server.clock.advance(ROTATION_AGE + 1);
		await put({ percentage: 90 });
		expect((await server.phone.inbox()).at(-1).activity).toMatchObject({
			content_state: { ...STATES.progress, subtitle: 'kept', percentage: 90 },
			action: OPEN_URL,
		});
		const [newest] = await historyOf(server.context, server.account.id, { tags: [], limit: 1 });
		expect(newest).toMatchObject({ tags: ['a'] });
	});

	it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
		['from all phones to a channel', {}, { channels: ['ops'] }, 'rotated'],
		['from a channel to all phones', { channels: ['ops'] }, {}, 'rotated'],
		['from a channel to another', { channels: ['ops'] }, { channels: ['dev'] }, 'rotated'],
		[
			'from a channel to it and another',
			{ channels: ['ops'] },
			{ channels: ['ops', 'dev'] },
			'rotated',
		],
		[
			'from a channel to the same in the other form',
			{ channels: ['ops'] },
			{ target: { channels: ['ops'] } },
			'noop',
		],
		[
			'from channels to the same in another order',
			{ channels: ['ops', 'dev'] },
			{ channels: ['dev', 'ops'] },
			'noop',
		],
	])('depends on the audience: %s', async (_what, before, after, operation) => {
		await put(STATES.alert, before);
		expect((await put(STATES.alert, after))['operation']).toBe(operation);
	});

	it('is refused, and ends nothing, when the new audience is nobody', async () => {
		await server.addChannel('empty');
		await put(STATES.alert);
		const { status } = await server.call('PUT', '/live-activity/stream/s', {
			content_state: STATES.alert,
			channels: ['empty'],
		});
		expect(status).toBe(422);
		expect((await put(STATES.alert))['operation']).toBe('noop');
	});

	it('is refused, and ends nothing, when the new state breaks a rule', async () => {
		await put(STATES.progress);
		const { status } = await server.call('PUT', '/live-activity/stream/s', {
			content_state: { type: 'alert' },
		});
		expect(status).toBe(400);
		expect((await put({}))['operation']).toBe('noop');
	});

	it('needs no room beside its own activity', async () => {
		for (let at = 0; at < 4; at += 1)
			await server.call('POST', '/live-activity/start', { content_state: STATES.alert });
		await put(STATES.progress);
		expect((await put(STATES.alert))['operation']).toBe('rotated');
	});
});
