import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OPEN_URL, STATES, UNLIMITED, WEBHOOK } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Body = Record<string, unknown>;

describe('PUT /live-activity/stream/{stream_key}', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const put = (state: Body, more: Body = {}, key = 'deploy') =>
		server.call('PUT', `/live-activity/stream/${key}`, { content_state: state, ...more });
	const kinds = async () => (await server.phone.inbox()).map(({ kind }) => kind);
	const running = () =>
		server.context.database.read
			.selectFrom('activities')
			.selectAll()
			.where('ended_at', 'is', null)
			.execute();

	it('starts an activity with the first call', async () => {
		const { status, body } = await put(STATES.progress);
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			operation: 'started',
			stream_key: 'deploy',
			activity_id: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
			devices_notified: 1,
			devices_queued: 0,
			users_notified: 1,
			effective_channel_slugs: null,
			timestamp: new Date(server.clock.now).toISOString(),
		});
		expect((await server.phone.inbox()).at(-1)).toMatchObject({
			kind: 'activity_start',
			activity: {
				activity_id: body['activity_id'],
				stream_key: 'deploy',
				content_state: STATES.progress,
			},
		});
	});

	it('updates the activity when something changed', async () => {
		const started = await put(STATES.progress);
		const { body } = await put({ percentage: 80 });
		expect(body).toMatchObject({
			operation: 'updated',
			devices_notified: 1,
			users_notified: 1,
			devices_queued: 0,
		});
		expect(body['activity_id']).toBe(started.body['activity_id']);
		expect(await kinds()).toEqual(['activity_start', 'activity_update']);
	});

	it('does nothing when nothing changed, and still names the activity', async () => {
		const started = await put(STATES.progress);
		const { body } = await put(STATES.progress);
		expect(body).toMatchObject({
			operation: 'noop',
			devices_notified: 0,
			users_notified: 0,
			devices_queued: 0,
		});
		expect(body['activity_id']).toBe(started.body['activity_id']);
		expect(await kinds()).toEqual(['activity_start']);
	});

	it.each<[string, Body, Body, string]>([
		['an empty state', {}, {}, 'noop'],
		['a kept field', { percentage: 40 }, {}, 'noop'],
		['the same button', {}, { action: OPEN_URL }, 'noop'],
		['the same tags in another order', {}, { tags: ['b', 'a'] }, 'noop'],
		['only metadata', {}, { metadata: { run: 8 } }, 'noop'],
		['a bare symbol that is the icon already', { icon: 'gear' }, {}, 'noop'],
		['another percentage', { percentage: 41 }, {}, 'updated'],
		['another title', { title: 'Restore' }, {}, 'updated'],
		['a new field', { color: 'red' }, {}, 'updated'],
		['another button', {}, { action: { ...OPEN_URL, url: 'https://example.com/2' } }, 'updated'],
		['a second button', {}, { secondary_action: WEBHOOK }, 'updated'],
		['another tag', {}, { tags: ['a'] }, 'updated'],
		['cleared tags', {}, { tags: [] }, 'updated'],
		['an alert', {}, { alert: { title: 'Look' } }, 'updated'],
		['an empty alert', {}, { alert: {} }, 'updated'],
	])('answers with the operation for %s', async (_what, state, more, operation) => {
		await put(
			{ ...STATES.progress, icon: { symbol: 'gear' } },
			{ action: OPEN_URL, tags: ['a', 'b'], metadata: { run: 7 } },
		);
		expect((await put(state, more)).body['operation']).toBe(operation);
	});

	it('alerts each time an alert is sent, and never by itself afterwards', async () => {
		const alert = { title: 'Look', body: 'Now' };
		await put(STATES.progress, { alert });
		expect((await put(STATES.progress, { alert })).body['operation']).toBe('updated');
		expect((await put(STATES.progress)).body['operation']).toBe('noop');
		await put({ percentage: 50 });
		const inbox = await server.phone.inbox();
		expect(inbox.map((delivery) => delivery.alert)).toEqual([alert, alert, undefined]);
	});

	it('requires a type to begin with', async () => {
		const { status, body } = await put({ title: 'x' });
		expect(status).toBe(400);
		expect(body['message']).toContain('content_state.type ');
		expect(await running()).toEqual([]);
	});

	it.each(['a', 'A-Z_09', '-', '_', 'k'.repeat(255), 'a%2Db', '%61'])(
		'takes the key %s, percent-decoded',
		async (key) => {
			const { status, body } = await put(STATES.alert, {}, key);
			expect(status).toBe(200);
			expect(body['stream_key']).toBe(decodeURIComponent(key));
		},
	);

	it('means the same stream however its key is encoded', async () => {
		await put(STATES.alert, {}, 'a-b');
		expect((await put(STATES.alert, {}, 'a%2Db')).body['operation']).toBe('noop');
	});

	it.each([
		'k'.repeat(256),
		'a.b',
		'a:b',
		'a b',
		'a%20b',
		'a%2Fb',
		'gr%C3%BCn',
		'a%00',
		'a%0A',
		'100%',
		'%zz',
		'%ff',
		'%61'.repeat(256),
	])('refuses the key %s, naming the rule', async (key) => {
		for (const method of ['PUT', 'DELETE'] as const) {
			const body = method === 'PUT' ? { content_state: STATES.alert } : undefined;
			const answer = await server.call(method, `/live-activity/stream/${key}`, body);
			expect(answer.status).toBe(400);
			expect(answer.body['message']).toMatch(/^stream_key must /);
			expect(answer.headers['ratelimit']).toBeDefined();
		}
	});

	it('keeps the streams of two accounts apart', async () => {
		const other = await server.addAccount();
		await server.pairPhone({ account: other.id });
		await put(STATES.alert);
		const { body } = await server.call(
			'PUT',
			'/live-activity/stream/deploy',
			{ content_state: STATES.alert },
			{ key: other.key },
		);
		expect(body['operation']).toBe('started');
	});

	it('takes channels and target.channels when they name the same, in any order', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('dev');
		const { status, body } = await put(STATES.alert, {
			channels: ['ops', 'dev'],
			target: { channels: ['dev', 'ops'] },
		});
		expect(status).toBe(200);
		expect([...body['effective_channel_slugs']].sort()).toEqual(['dev', 'ops']);
	});

	it.each([
		[['ops'], ['dev']],
		[['ops'], ['ops', 'dev']],
		[['ops', 'dev'], ['ops']],
	])('refuses channels %j beside target.channels %j', async (channels, targeted) => {
		const { status, body } = await put(STATES.alert, { channels, target: { channels: targeted } });
		expect(status).toBe(400);
		expect(body['message']).toContain('channels must match target.channels');
	});

	it('names the form that was used when a channel is unknown', async () => {
		expect((await put(STATES.alert, { channels: ['nowhere'] })).body['message']).toMatch(
			/^channels .*nowhere/,
		);
		expect(
			(await put(STATES.alert, { target: { channels: ['nowhere'] } })).body['message'],
		).toMatch(/^target\.channels .*nowhere/);
	});

	it('leaves exactly one running activity, however many calls come at once', async () => {
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, at) =>
				put({ ...(at % 2 ? STATES.progress : STATES.alert), title: `${at}` }),
			),
		);
		const count = (operation: string) =>
			answers.filter(({ body }) => body['operation'] === operation).length;
		expect(count('started')).toBe(1);
		// Simultaneous calls have no order: two of one type may follow each other.
		expect(count('rotated') + count('updated')).toBe(19);
		expect(await running()).toHaveLength(1);
		expect((await server.phone.snapshot()).activities).toHaveLength(1);
	});

	it('starts once and changes nothing more when the same call comes many times at once', async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => put(STATES.alert)));
		expect(answers.map(({ body }) => body['operation']).sort()).toEqual([
			...Array<string>(19).fill('noop'),
			'started',
		]);
		expect(new Set(answers.map(({ body }) => body['activity_id'])).size).toBe(1);
	});

	it('leaves the stream as it was when a call is refused', async () => {
		const started = await put(STATES.progress);
		expect((await put({ percentage: 101 })).status).toBe(400);
		expect((await put({ type: 'alert' })).status).toBe(400);
		const { body } = await put(STATES.progress);
		expect(body).toMatchObject({ operation: 'noop', activity_id: started.body['activity_id'] });
	});
});
