import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { historyOf } from '../support/history.ts';
import { OPEN_URL, STATES, UNLIMITED, WEBHOOK } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('DELETE /live-activity/stream/{stream_key}', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const put = async (
		state: Record<string, unknown> = STATES.progress,
		more: Record<string, unknown> = {},
	) =>
		(await server.call('PUT', '/live-activity/stream/s', { content_state: state, ...more })).body;
	const end = (body?: unknown, key = 's') =>
		server.call('DELETE', `/live-activity/stream/${key}`, body);
	const last = async () => (await server.phone.inbox()).at(-1);
	const newest = async () =>
		(await historyOf(server.context, server.account.id, { tags: [], limit: 1 }))[0];

	it('ends the stream without a body, showing its latest state', async () => {
		const { activity_id: id } = await put();
		await put({ percentage: 90 });
		const { status, body } = await end();
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			operation: 'ended',
			stream_key: 's',
			activity_id: id,
			devices_queued: 0,
			devices_notified: 1,
			timestamp: new Date(server.clock.now).toISOString(),
		});
		expect(await last()).toMatchObject({
			kind: 'activity_end',
			activity: { activity_id: id, content_state: { title: 'Backup', percentage: 90 } },
		});
	});

	it.each<[string, unknown]>([
		['an empty object', {}],
		['an empty text', ''],
		['an empty content state', { content_state: {} }],
	])('ends it with %s as with no body', async (_what, body) => {
		await put();
		expect((await end(body)).status).toBe(200);
		expect((await last()).activity.content_state).toMatchObject(STATES.progress);
	});

	it('shows a last change, buttons and an alert', async () => {
		await put();
		const alert = { title: 'Done', body: 'All of it' };
		const content_state = { title: 'Done', percentage: 100 };
		const { status } = await end({
			content_state,
			action: OPEN_URL,
			secondary_action: WEBHOOK,
			alert,
		});
		expect(status).toBe(200);
		expect(await last()).toMatchObject({
			kind: 'activity_end',
			alert,
			activity: {
				content_state,
				action: OPEN_URL,
				secondary_action: { title: 'Approve', type: 'webhook' },
			},
		});
	});

	it('lets the end have another type', async () => {
		await put();
		expect((await end({ content_state: { type: 'alert', message: 'Failed' } })).status).toBe(200);
		expect((await last()).activity.content_state).toEqual({
			type: 'alert',
			title: 'Backup',
			message: 'Failed',
		});
	});

	it.each<[string, unknown, string]>([
		[
			'a content state that breaks a rule',
			{ content_state: { percentage: 101 } },
			'content_state.percentage',
		],
		['a field of another type', { content_state: { message: 'x' } }, 'content_state.message'],
		['a wrong action', { action: { ...OPEN_URL, url: 'ftp://x' } }, 'action.url'],
		['an unknown property', { channels: ['ops'] }, 'channels'],
		['a target', { target: { channels: ['ops'] } }, 'target'],
		['null as content state', { content_state: null }, 'content_state'],
	])('refuses %s and leaves the stream running', async (_what, body, path) => {
		await put();
		const answer = await end(body);
		expect(answer.status).toBe(400);
		expect(answer.body['message']).toContain(`${path} `);
		expect((await put())['operation']).toBe('noop');
	});

	it('answers 404 for a key that there is no stream for', async () => {
		const { status, body } = await end();
		expect(status).toBe(404);
		expect(body).toEqual({
			error: expect.any(String),
			message: expect.stringContaining('Live Activity with the key s'),
		});
	});

	it('answers 404 to the second end, and to another account', async () => {
		await put();
		const other = await server.addAccount();
		expect(
			(await server.call('DELETE', '/live-activity/stream/s', undefined, { key: other.key }))
				.status,
		).toBe(404);
		expect((await end()).status).toBe(200);
		expect((await end()).status).toBe(404);
	});

	it('lets the key begin anew, from nothing', async () => {
		const first = await put();
		await end();
		const { status } = await server.call('PUT', '/live-activity/stream/s', {
			content_state: { percentage: 1 },
		});
		expect(status).toBe(400);
		const second = await put();
		expect(second['operation']).toBe('started');
		expect(second['activity_id']).not.toBe(first['activity_id']);
	});

	it('succeeds with activity_id null when the activity was ended by its id', async () => {
		const { activity_id: id } = await put();
		await server.call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
		const { status, body } = await end();
		expect(status).toBe(200);
		expect(body).toMatchObject({
			operation: 'ended',
			activity_id: null,
			devices_notified: 0,
			devices_queued: 0,
		});
		expect((await end()).status).toBe(404);
	});

	it.each<[string, Record<string, unknown>, string[]]>([
		['keeps the tags of the history when they are left out', {}, ['a', 'b']],
		['replaces the tags of the history', { tags: ['c'] }, ['c']],
		['clears the tags of the history by an empty list', { tags: [] }, []],
	])('%s', async (_what, body, tags) => {
		await put(STATES.progress, { tags: ['a', 'b'] });
		await end(body);
		expect(await newest()).toMatchObject({
			tags,
			ended_at: new Date(server.clock.now).toISOString(),
		});
	});

	it('replaces the metadata of the history when it has some', async () => {
		await put(STATES.progress, { metadata: { run: 1 } });
		await end({ metadata: { run: 2 } });
		expect(await newest()).toMatchObject({ metadata: { run: 2 } });
	});

	it('leaves the history of an activity that had ended before as it was', async () => {
		const { activity_id: id } = await put(STATES.progress, {
			tags: ['first'],
			metadata: { run: 1 },
		});
		await server.call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
		const { status, body } = await end({ tags: ['late'], metadata: { run: 2 } });
		expect([status, body['activity_id']]).toEqual([200, null]);
		expect(await newest()).toMatchObject({ tags: ['first'], metadata: { run: 1 } });
	});

	it('checks its body, whether or not something runs', async () => {
		const { activity_id: id } = await put();
		await server.call('POST', '/live-activity/end', { activity_id: id, content_state: {} });
		expect((await end({ tags: ['Not A Tag'] })).status).toBe(400);
		expect((await end()).status).toBe(200);
	});

	it('ends once when many come at once', async () => {
		await put();
		const answers = await Promise.all(Array.from({ length: 5 }, () => end()));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
	});
});

describe('the streams of a restricted key', () => {
	let server: TestServer;
	let key: string;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('dev', { users: ['owner'] });
		key = await server.addKey(server.account.id, ['ops']);
	});
	afterEach(() => server.close());

	const put = (channels: string[] | undefined, withKey?: string) =>
		server.call(
			'PUT',
			'/live-activity/stream/s',
			{ content_state: STATES.alert, ...(channels && { channels }) },
			withKey === undefined ? {} : { key: withKey },
		);

	it.each<[string, string[] | undefined]>([
		['all phones', undefined],
		['another channel', ['dev']],
		['its channel and another', ['ops', 'dev']],
	])('are not those that go to %s: it can neither put nor end them', async (_whom, channels) => {
		await put(channels);
		expect((await put(undefined, key)).status).toBe(403);
		expect(
			(await server.call('DELETE', '/live-activity/stream/s', undefined, { key })).status,
		).toBe(403);
		expect((await put(channels)).body['operation']).toBe('noop');
	});

	it('are those that go to its channel, no matter who started them', async () => {
		await put(['ops']);
		expect((await put(undefined, key)).body).toMatchObject({
			operation: 'noop',
			effective_channel_slugs: ['ops'],
		});
		expect(
			(await server.call('DELETE', '/live-activity/stream/s', undefined, { key })).status,
		).toBe(200);
	});
});
