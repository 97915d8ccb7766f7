import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('how long an ended activity stays on the lock screen', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	/** Seconds between the end and the dismissal time sent to the phone. */
	const toldSeconds = async () => {
		const { kind, activity } = (await server.phone.inbox()).at(-1);
		expect(kind).toBe('activity_end');
		return (Date.parse(activity.dismiss_at) - server.clock.now) / 1_000;
	};
	const endActivity = async (fields: Record<string, unknown>) => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.alert,
		});
		server.clock.advance(10);
		return server.call('POST', '/live-activity/end', {
			activity_id: body['activity_id'],
			content_state: fields,
		});
	};
	const endStream = async (
		put: Record<string, unknown>,
		fields: Record<string, unknown> | undefined,
	) => {
		await server.call('PUT', '/live-activity/stream/s', {
			content_state: { ...STATES.alert, ...put },
		});
		server.clock.advance(10);
		return server.call('DELETE', '/live-activity/stream/s', fields && { content_state: fields });
	};

	it.each<[string, Record<string, unknown>, number]>([
		['3 minutes when it says nothing', {}, 180],
		['as many minutes as it says', { auto_dismiss_minutes: 7 }, 420],
		['no time for 0 minutes', { auto_dismiss_minutes: 0 }, 0],
		['240 minutes', { auto_dismiss_minutes: 240 }, 14_400],
		['at most 240 minutes', { auto_dismiss_minutes: 241 }, 14_400],
		['at most 240 minutes, however many it says', { auto_dismiss_minutes: 1_000_000 }, 14_400],
	])('after the legacy end is %s', async (_what, fields, seconds) => {
		expect((await endActivity(fields)).status).toBe(200);
		expect(await toldSeconds()).toBe(seconds);
	});

	it.each<[string, Record<string, unknown> | undefined, number]>([
		['2 minutes without a body', undefined, 120],
		['2 minutes when it says nothing', {}, 120],
		['as many minutes as it says', { auto_dismiss_minutes: 5 }, 300],
		['as many seconds as it says', { auto_dismiss_seconds: 45 }, 45],
		['no time for 0 seconds', { auto_dismiss_seconds: 0 }, 0],
		['at most 240 minutes', { auto_dismiss_minutes: 300 }, 14_400],
		['at most 14,400 seconds', { auto_dismiss_seconds: 14_401 }, 14_400],
	])('after the end of a stream is %s', async (_what, fields, seconds) => {
		expect((await endStream({}, fields)).status).toBe(200);
		expect(await toldSeconds()).toBe(seconds);
	});

	it('is what an earlier PUT of the stream said, unless the end says otherwise', async () => {
		await endStream({ auto_dismiss_minutes: 9 }, undefined);
		expect(await toldSeconds()).toBe(540);
		await endStream({ auto_dismiss_seconds: 9 }, { auto_dismiss_seconds: 4 });
		expect(await toldSeconds()).toBe(4);
	});

	it.each<[string, unknown]>([
		['a negative number', -1],
		['half a minute', 0.5],
		['a text', '5'],
		['null', null],
	])('cannot be %s', async (_what, minutes) => {
		const legacy = await endActivity({ auto_dismiss_minutes: minutes });
		const stream = await endStream({}, { auto_dismiss_minutes: minutes });
		const seconds = await server.call('DELETE', '/live-activity/stream/s', {
			content_state: { auto_dismiss_seconds: minutes },
		});
		expect([legacy.status, stream.status, seconds.status]).toEqual([400, 400, 400]);
		expect(legacy.body['message']).toContain('content_state.auto_dismiss_minutes ');
		expect(seconds.body['message']).toContain('content_state.auto_dismiss_seconds ');
	});

	it('may be given in seconds on streams only, and not at all on an update', async () => {
		const legacy = await endActivity({ auto_dismiss_seconds: 5 });
		expect(legacy.body['message']).toContain('content_state.auto_dismiss_seconds ');
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.alert,
		});
		const update = await server.call('POST', '/live-activity/update', {
			activity_id: body['activity_id'],
			content_state: { auto_dismiss_minutes: 5 },
		});
		expect([legacy.status, update.status]).toEqual([400, 400]);
	});

	it('is over when the activity leaves the lock screen', async () => {
		await endActivity({ auto_dismiss_minutes: 1 });
		server.clock.advance(59);
		expect((await server.phone.snapshot()).activities).toHaveLength(1);
		server.clock.advance(1);
		expect((await server.phone.snapshot()).activities).toHaveLength(0);
	});

	it('is no time at all for what a rotation ends', async () => {
		await server.call('PUT', '/live-activity/stream/s', {
			content_state: { ...STATES.alert, auto_dismiss_minutes: 9 },
		});
		await server.call('PUT', '/live-activity/stream/s', { content_state: STATES.progress });
		const end = (await server.phone.inbox()).find(({ kind }) => kind === 'activity_end');
		expect(Date.parse(end.activity.dismiss_at)).toBe(server.clock.now);
		expect((await server.phone.snapshot()).activities).toHaveLength(1);
	});
});
