import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OPEN_URL, STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a Live Activity by its id', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const start = async (more: Record<string, unknown> = {}): Promise<string> =>
		(await server.call('POST', '/live-activity/start', { content_state: STATES.progress, ...more }))
			.body['activity_id'];
	const update = (
		id: string,
		state: Record<string, unknown>,
		more: Record<string, unknown> = {},
		key?: string,
	) =>
		server.call(
			'POST',
			'/live-activity/update',
			{ activity_id: id, content_state: state, ...more },
			key === undefined ? {} : { key },
		);
	const end = (
		id: string,
		state: Record<string, unknown> = {},
		more: Record<string, unknown> = {},
		key?: string,
	) =>
		server.call(
			'POST',
			'/live-activity/end',
			{ activity_id: id, content_state: state, ...more },
			key === undefined ? {} : { key },
		);
	const last = async () => (await server.phone.inbox()).at(-1);
	const time = () => new Date(server.clock.now).toISOString();

	it('is started with an id of 32 random base64url characters', async () => {
		const { status, body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.progress,
			tags: ['a'],
		});
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			activity_id: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
			devices_notified: 1,
			users_notified: 1,
			effective_channel_slugs: null,
			tags: ['a'],
			timestamp: time(),
		});
		expect(await start()).not.toBe(body['activity_id']);
	});

	it('is shown on the phone with its buttons and the alert', async () => {
		const alert = { title: 'Look', body: 'Now' };
		const id = await start({ action: OPEN_URL, alert, metadata: { secret: 'kept-here' } });
		expect(await last()).toEqual({
			id: expect.any(Number),
			kind: 'activity_start',
			sent_at: time(),
			alert,
			activity: {
				activity_id: id,
				stream_key: null,
				content_state: STATES.progress,
				action: OPEN_URL,
				started_at: time(),
				updated_at: time(),
				dismiss_at: null,
			},
		});
	});

	it('is updated and ended', async () => {
		const id = await start();
		const begun = time();
		server.clock.advance(5);
		const updated = await update(id, { percentage: 80 });
		expect(updated.body).toEqual({
			success: true,
			activity_id: id,
			devices_queued: 0,
			devices_notified: 1,
			timestamp: time(),
		});
		expect(await last()).toMatchObject({
			kind: 'activity_update',
			activity: { content_state: { percentage: 80 }, started_at: begun, updated_at: time() },
		});
		const ended = await end(id, { percentage: 100 });
		expect(ended.body).toEqual({
			success: true,
			activity_id: id,
			devices_queued: 0,
			devices_notified: 1,
			timestamp: time(),
		});
		expect(await last()).toMatchObject({
			kind: 'activity_end',
			activity: { content_state: { percentage: 100 } },
		});
	});

	it('is not sent to phones that were not there at its start', async () => {
		const id = await start();
		const late = await server.pairPhone();
		expect((await update(id, { percentage: 80 })).body['devices_notified']).toBe(1);
		expect(await late.inbox()).toEqual([]);
	});

	it('is not sent to a phone that has dismissed it', async () => {
		const second = await server.pairPhone();
		const id = await start();
		await second.call('POST', '/dismissals', { activity_id: id });
		expect((await update(id, { percentage: 80 })).body['devices_notified']).toBe(1);
		expect((await second.inbox()).map(({ kind }) => kind)).toEqual(['activity_start']);
		expect((await second.snapshot()).activities).toEqual([]);
	});

	it.each(['update', 'end'])('requires content_state and activity_id on %s', async (verb) => {
		const none = await server.call('POST', `/live-activity/${verb}`, {});
		expect(none.status).toBe(400);
		expect(none.body['message']).toContain('content_state is required');
		expect(none.body['message']).toContain('activity_id ');
	});

	it.each(['update', 'end'])('takes no alert or target on %s', async (verb) => {
		const id = await start();
		for (const extra of [
			{ alert: { title: 'x' } },
			{ target: { channels: ['a'] } },
			{ channels: ['a'] },
		]) {
			const { status, body } = await server.call('POST', `/live-activity/${verb}`, {
				activity_id: id,
				content_state: {},
				...extra,
			});
			expect(status).toBe(400);
			expect(body['message']).toContain(Object.keys(extra)[0]);
		}
	});

	it.each(['unknown', 'x'.repeat(32), "' or 1=1 --"])(
		'answers 404 for the unknown id %s',
		async (id) => {
			for (const answer of [await update(id, {}), await end(id)]) {
				expect(answer.status).toBe(404);
				expect(answer.body).toMatchObject({ error: 'Live Activity not found' });
			}
		},
	);

	it('answers 403 to another account', async () => {
		const other = await server.addAccount();
		const id = await start();
		for (const answer of [
			await update(id, { percentage: 1 }, {}, other.key),
			await end(id, {}, {}, other.key),
		]) {
			expect(answer.status).toBe(403);
			expect(answer.body).toEqual({
				error: 'Forbidden',
				message: expect.stringContaining('a different account'),
			});
		}
		expect(await last()).toMatchObject({ kind: 'activity_start' });
	});

	it('answers 403 to a key whose channels it leaves', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('dev', { users: ['owner'] });
		const key = await server.addKey(server.account.id, ['ops']);
		const targets = [
			{},
			{ target: { channels: ['dev'] } },
			{ target: { channels: ['ops', 'dev'] } },
		];
		for (const target of targets) {
			const id = await start(target);
			expect((await update(id, {}, {}, key)).status).toBe(403);
			expect((await end(id, {}, {}, key)).status).toBe(403);
		}
		const own = await start({ target: { channels: ['ops'] } });
		expect((await update(own, { percentage: 1 }, {}, key)).status).toBe(200);
		expect((await end(own, {}, {}, key)).status).toBe(200);
	});

	it('answers 404 to an update after its end, saying when it ended', async () => {
		const id = await start();
		await end(id);
		const ended = time();
		server.clock.advance(60);
		const { status, body } = await update(id, { percentage: 1 });
		expect(status).toBe(404);
		expect(body['error']).toBe('Live Activity not found');
		expect(body['message']).toContain(`ended at ${ended}`);
	});

	it('is ended twice with success, nothing sent and zero counts', async () => {
		const id = await start();
		await end(id);
		const before = await server.phone.inbox();
		const { status, body } = await end(id, { percentage: 3 });
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			activity_id: id,
			devices_queued: 0,
			devices_notified: 0,
			timestamp: time(),
		});
		expect(await server.phone.inbox()).toEqual(before);
	});

	it('is ended only once when many ends come at once', async () => {
		const id = await start();
		const answers = await Promise.all(Array.from({ length: 5 }, () => end(id)));
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
		expect(answers.map(({ body }) => body['devices_notified']).sort()).toEqual([0, 0, 0, 0, 1]);
	});

	describe('that belongs to a stream', () => {
		const put = async (state: Record<string, unknown> = {}) =>
			(await server.call('PUT', '/live-activity/stream/s', { content_state: state })).body;

		it('makes an update the state of the stream', async () => {
			const { activity_id: id } = await put(STATES.progress);
			await update(id, { percentage: 80 });
			expect((await put({ percentage: 80 }))['operation']).toBe('noop');
			await put({ title: 'Renamed' });
			expect((await last()).activity.content_state).toMatchObject({
				title: 'Renamed',
				percentage: 80,
			});
		});

		it('leaves the stream without an activity when it is ended', async () => {
			const { activity_id: id } = await put(STATES.progress);
			await end(id);
			const next = await put(STATES.progress);
			expect(next['operation']).toBe('started');
			expect(next['activity_id']).not.toBe(id);
			expect(next).not.toHaveProperty('previous_activity_id');
		});

		it('does not end the activity that came after it', async () => {
			const { activity_id: old } = await put(STATES.progress);
			const { activity_id: id } = await put(STATES.alert);
			await end(old);
			expect(await put(STATES.alert)).toMatchObject({ operation: 'noop', activity_id: id });
		});
	});
});
