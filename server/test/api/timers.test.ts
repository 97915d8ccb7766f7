import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SteeredGateway } from '../support/gateways.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const BEGIN = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(BEGIN + seconds * 1_000).toISOString();

describe('a timer', () => {
	const gateway = new SteeredGateway();
	let server: TestServer;
	let id: string;
	beforeEach(async () => {
		gateway.answer = undefined;
		server = await startTestServer({ settings: UNLIMITED, gateway: gateway.before });
		server.clock.now = BEGIN;
	});
	afterEach(() => server.close());

	const start = async (fields: Record<string, unknown> = {}) => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: { ...STATES.timer, ...fields },
		});
		id = body['activity_id'];
	};
	const send = async (verb: 'update' | 'end', seconds: number, fields: Record<string, unknown>) => {
		server.clock.now = BEGIN + seconds * 1_000;
		const answer = await server.call('POST', `/live-activity/${verb}`, {
			activity_id: id,
			content_state: fields,
		});
		expect(answer.status).toBe(200);
	};
	const told = async () => (await server.phone.inbox()).at(-1).activity.content_state.timer;

	it('tells the phone absolute times and its whole length', async () => {
		await start();
		expect(await told()).toEqual({
			is_running: true,
			counts_down: true,
			started_at: at(0),
			ends_at: at(240),
			elapsed_seconds: 0,
			duration_seconds: 240,
		});
	});

	it('shows the right clock after a late delivery', async () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'down' });
		await start();
		await server.context.outbox.stop();
		gateway.answer = undefined;
		server.clock.advance(100);
		expect(await server.context.outbox.runOnce()).toBe(1);
		expect(
			JSON.parse(gateway.seen.at(-1)!.message.content_json).activity.content_state.timer,
		).toMatchObject({
			started_at: at(0),
			ends_at: at(240),
		});
	});

	it('goes on untouched when an update leaves its duration out', async () => {
		await start();
		await send('update', 60, { title: 'Tea, still' });
		expect(await told()).toMatchObject({
			started_at: at(0),
			ends_at: at(240),
			elapsed_seconds: 60,
		});
	});

	it('begins anew when an update sends its duration, even the same one', async () => {
		await start();
		await send('update', 60, { duration_seconds: 240 });
		expect(await told()).toMatchObject({
			started_at: at(60),
			ends_at: at(300),
			elapsed_seconds: 0,
		});
		await send('update', 90, { duration_seconds: 30 });
		expect(await told()).toMatchObject({
			started_at: at(90),
			ends_at: at(120),
			duration_seconds: 30,
		});
	});

	it('stands still while frozen', async () => {
		await start();
		await send('update', 60, { is_running: false });
		const frozen = await told();
		expect(frozen).toMatchObject({ is_running: false, elapsed_seconds: 60, duration_seconds: 240 });
		expect(frozen).not.toHaveProperty('ends_at');
		await send('update', 1_000, { title: 'Still frozen' });
		expect(await told()).toMatchObject({ is_running: false, elapsed_seconds: 60 });
	});

	it('resumes where it stood', async () => {
		await start();
		await send('update', 60, { is_running: false });
		await send('update', 1_000, { is_running: true });
		expect(await told()).toMatchObject({
			is_running: true,
			started_at: at(940),
			ends_at: at(1_180),
			elapsed_seconds: 60,
		});
	});

	it('adds up the stretches between several pauses', async () => {
		await start();
		for (const from of [10, 110, 210]) {
			await send('update', from, { is_running: false });
			await send('update', from + 90, { is_running: true });
		}
		expect(await told()).toMatchObject({ elapsed_seconds: 30, ends_at: at(300 + 210) });
	});

	it('is not moved by freezing it twice', async () => {
		await start();
		await send('update', 60, { is_running: false });
		await send('update', 120, { is_running: false });
		expect(await told()).toMatchObject({ is_running: false, elapsed_seconds: 60 });
	});

	it('is not moved by letting it run while it runs', async () => {
		await start();
		await send('update', 60, { is_running: true });
		expect(await told()).toMatchObject({
			started_at: at(0),
			ends_at: at(240),
			elapsed_seconds: 60,
		});
	});

	it('does not run past its end', async () => {
		await start();
		await send('update', 500, { is_running: false });
		expect(await told()).toMatchObject({ elapsed_seconds: 240 });
	});

	it('waits at its full length when it is started frozen', async () => {
		await start({ is_running: false });
		expect(await told()).toMatchObject({ is_running: false, elapsed_seconds: 0 });
		await send('update', 100, { is_running: true });
		expect(await told()).toMatchObject({ started_at: at(100), ends_at: at(340) });
	});

	it('counts up without an end when it has no duration', async () => {
		await start({ counts_down: false, duration_seconds: undefined });
		await send('update', 5_000, { title: 'Long run' });
		const timer = await told();
		expect(timer).toMatchObject({ counts_down: false, started_at: at(0), elapsed_seconds: 5_000 });
		expect(timer).not.toHaveProperty('ends_at');
		expect(timer).not.toHaveProperty('duration_seconds');
	});

	it('is frozen for good by the end', async () => {
		await start();
		await send('end', 60, {});
		expect(await told()).toMatchObject({
			is_running: false,
			elapsed_seconds: 60,
			duration_seconds: 240,
		});
		server.clock.advance(100);
		const [activity] = (await server.phone.snapshot()).activities;
		expect(activity.content_state.timer).toMatchObject({ is_running: false, elapsed_seconds: 60 });
	});

	it('is frozen by the end even when the end says that it runs', async () => {
		await start();
		await send('end', 60, { is_running: true });
		expect(await told()).toMatchObject({ is_running: false, elapsed_seconds: 60 });
	});

	it('begins anew when its activity changes into a timer again', async () => {
		await start();
		await send('update', 60, STATES.alert);
		await send('update', 120, STATES.timer);
		expect(await told()).toMatchObject({ started_at: at(120), ends_at: at(360) });
	});

	it('lets its stream answer noop when nothing is sent for it, however much time has passed', async () => {
		const put = (state: Record<string, unknown>) =>
			server.call('PUT', '/live-activity/stream/tea', { content_state: state });
		await put(STATES.timer);
		server.clock.advance(60);
		expect((await put({ type: 'timer', title: 'Tea' })).body['operation']).toBe('noop');
		expect((await put(STATES.timer)).body['operation']).toBe('updated');
		expect(await told()).toMatchObject({ started_at: at(60), ends_at: at(300) });
	});

	it('survives a rotation of its stream without losing time', async () => {
		const long = { ...STATES.timer, duration_seconds: 40_000 };
		await server.call('PUT', '/live-activity/stream/tea', { content_state: long });
		server.clock.now = BEGIN + 28_000_000;
		const { body } = await server.call('PUT', '/live-activity/stream/tea', {
			content_state: { title: 'Tea' },
		});
		expect(body['operation']).toBe('rotated');
		expect(await told()).toMatchObject({
			started_at: at(0),
			ends_at: at(40_000),
			elapsed_seconds: 28_000,
		});
	});
});
