import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deleteUnusedTriggers, waitingTaps } from '../../src/service/triggers/taps.ts';
import { settleDue } from '../support/later.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

const TRIGGER = `trg_${'a'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';
const NEWER = 'session-of-n8n-2';
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** What a request that waits takes if nothing wakes it. */
const WAIT_MS = 50_000;

describe('a trigger', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const register = async (more: object = {}, key?: string) =>
		server.call(
			'PUT',
			`/triggers/${TRIGGER}`,
			{ name: 'Ship', session: SESSION, ...more },
			{ ...(key !== undefined && { key }) },
		);
	const taps = async (query = `session=${SESSION}`, key?: string) =>
		server.call('GET', `/triggers/${TRIGGER}/taps?${query}`, undefined, {
			...(key !== undefined && { key }),
		});
	const done = async (tapIds: string[], more: object = {}) =>
		server.call('POST', `/triggers/${TRIGGER}/done`, { taps: tapIds, ...more });
	const button = (title: string, query = '', more: object = {}) => ({
		title,
		type: 'webhook',
		url: `http://localhost:8787/api/triggers/${TRIGGER}${query}`,
		...more,
	});
	const push = async (...actions: object[]): Promise<number> => {
		const { status, body } = await server.call('POST', '/push-notification', {
			title: 'Order 7',
			actions,
		});
		expect({ status, body }).toMatchObject({ status: 200 });
		return (await server.phone.inbox()).at(-1).id;
	};
	const tap = async (id: number, action = 0, phone: TestPhone = server.phone) =>
		(await phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id: id, action })).body;
	const shown = async (phone: TestPhone = server.phone) => (await phone.inbox()).at(-1).push;

	it('is not taken from its key by a test, and goes to another once that is revoked', async () => {
		const { account } = server;
		await server.addChannel('ops', { users: ['owner'] });
		const [limited, next] = [
			await server.addKey(account.id, ['ops']),
			await server.addKey(account.id, ['ops']),
		];
		await register({}, limited);
		await register({ test: true, name: 'Try' });
		expect((await taps(undefined, limited)).status).toBe(200);
		expect((await register({}, next)).status).toBe(404);
		await server.revokeKey(account.id, limited);
		expect((await register({}, next)).status).toBe(200);
	});

	it('gets the tap of a button, until it is done', async () => {
		expect(await register()).toMatchObject({ status: 200, body: { success: true, last: 0 } });
		const id = await push(button('Ship it', '', { body: { order: 7 } }));
		expect(await tap(id)).toEqual({
			outcome: 'called',
			message: '“Ship” is starting.',
			answer: {
				button: 'Ship it',
				by: 'owner',
				device: 'Phone',
				at: server.timestamp(),
				final: false,
			},
		});
		const { body } = await taps();
		expect(body).toEqual({
			success: true,
			taps: [
				{
					tap_id: expect.any(String),
					number: 1,
					button: 'Ship it',
					data: { order: 7 },
					by: { user: 'owner', device: 'Phone' },
					tapped_at: server.timestamp(),
					history_id: expect.any(String),
				},
			],
		});
		expect((await taps()).body).toEqual(body);
		expect((await taps(`session=${SESSION}&after=1`)).body['taps']).toEqual([]);
		await done([body['taps'][0].tap_id]);
		expect((await taps()).body['taps']).toEqual([]);
	});

	it('learns which push was tapped', async () => {
		await register();
		const { headers } = await server.call('POST', '/push-notification', {
			title: 'Order 7',
			actions: [button('Ship it')],
		});
		await tap((await server.phone.inbox()).at(-1).id);
		const [taken] = (await taps()).body['taps'];
		expect(taken).toMatchObject({ history_id: headers['beckon-history-id'] });
	});

	it('is woken by a tap', async () => {
		await register();
		const id = await push(button('Ship it'));
		const waiting = taps(`session=${SESSION}&wait=50`);
		await waitFor('the request to wait', () => server.context.triggerWaits.size === 1);
		await tap(id);
		expect((await within('the tap', waiting, WAIT_MS)).body['taps']).toHaveLength(1);
	});

	it('is started once by a button, and says who was first', async () => {
		await register();
		const bob = await server.pairPhone({ name: 'Tablet' });
		const id = await push(button('Ship it'), button('Cancel'));
		const other = (await bob.inbox()).at(-1).id;
		expect(await tap(id)).toMatchObject({ outcome: 'called' });
		expect(await tap(other, 0, bob)).toMatchObject({
			outcome: 'refused',
			message: expect.stringMatching(/^Already answered: “Ship it” by owner/),
			answer: { by: 'owner' },
		});
		expect((await shown(bob)).actions).toEqual([
			{ title: 'Ship it', type: 'webhook', closed: true },
			{ title: 'Cancel', type: 'webhook' },
		]);
		expect(await tap(other, 1, bob)).toMatchObject({ outcome: 'called' });
		// The first tap on a button stays the first, whatever the last answer is.
		expect(await tap(other, 0, bob)).toMatchObject({ outcome: 'refused', answer: { by: 'owner' } });
		expect((await taps()).body['taps'].map((one: any) => one.button)).toEqual([
			'Ship it',
			'Cancel',
		]);
	});

	it('is started by every tap on a button that says so', async () => {
		await register();
		const id = await push(button('Ring', '?every_tap=true'));
		expect(await tap(id)).toMatchObject({ outcome: 'called' });
		expect(await tap(id)).toMatchObject({ outcome: 'called' });
		expect((await taps()).body['taps']).toHaveLength(2);
	});

	it('is started once by the button of a stream, which updates keep', async () => {
		await register();
		const put = () =>
			server.call('PUT', '/live-activity/stream/s', {
				content_state: { type: 'alert', title: 'A', message: randomUUID() },
				action: button('Ship it'),
			});
		const { body } = await put();
		const report = () =>
			server.phone.call('POST', '/taps', {
				tap_id: randomUUID(),
				activity_id: body['activity_id'],
				action: 'action',
			});
		expect((await report()).body).toMatchObject({ outcome: 'called' });
		await put();
		expect((await server.phone.snapshot()).activities[0]).toMatchObject({
			action: { closed: true },
			answer: { button: 'Ship it' },
		});
		expect((await report()).body).toMatchObject({ outcome: 'refused' });
		expect((await taps()).body['taps']).toMatchObject([{ history_id: body['activity_id'] }]);
	});

	it('that nothing listens to says so on the phone, and gets the tap when something does', async () => {
		await register();
		await done([], { end_session: SESSION });
		const id = await push(button('Ship it'));
		const message = '“Ship” is not running right now. Your tap is kept for a day.';
		expect(await tap(id)).toMatchObject({ outcome: 'called', message });
		expect((await shown()).answer).toMatchObject({ message });
		server.clock.advance(DAY - MINUTE);
		await settleDue(server.context, waitingTaps);
		await register({ session: NEWER });
		const [taken] = (await taps(`session=${NEWER}`)).body['taps'];
		await done([taken.tap_id]);
		const { answer } = (await server.phone.inbox()).at(-1).push;
		expect(answer).toMatchObject({ button: 'Ship it' });
		expect(answer).not.toHaveProperty('message');
	});

	it('that nothing listens to for a day says that, and its button opens again', async () => {
		await register();
		const id = await push(button('Ship it'));
		server.clock.advance(2 * MINUTE);
		await tap(id);
		server.clock.advance(DAY + 1);
		await settleDue(server.context, waitingTaps);
		expect(await shown()).toMatchObject({
			actions: [{ title: 'Ship it', type: 'webhook' }],
			answer: { message: '“Ship” did not run for a day, so your tap expired.' },
		});
		expect((await taps()).body['taps']).toEqual([]);
		expect(await tap(id)).toMatchObject({ outcome: 'called' });
	});

	it('gives its taps to the newest session, and to an older one once that is gone', async () => {
		await register();
		const waiting = taps(`session=${SESSION}&wait=50`);
		await waitFor('the request to wait', () => server.context.triggerWaits.size === 1);
		await register({ session: NEWER });
		expect(await within('the older session', waiting, WAIT_MS)).toMatchObject({ status: 409 });
		expect(await taps()).toMatchObject({ status: 409, body: { error: 'Superseded' } });
		expect(await taps(`session=${NEWER}`)).toMatchObject({ status: 200 });
		server.clock.advance(MINUTE);
		expect(await taps()).toMatchObject({ status: 200 });
		expect(await taps(`session=${NEWER}`)).toMatchObject({ status: 409 });
	});

	it('gives a test copies, and leaves the taps to the session', async () => {
		await register();
		await push(button('Ship it', '?every_tap=true'));
		const id = (await server.phone.inbox()).at(-1).id;
		await tap(id);
		const { body } = await register({ session: NEWER, test: true });
		expect(body).toMatchObject({ last: 1 });
		await tap(id);
		const [, second] = (await taps()).body['taps'];
		await done([second.tap_id]);
		expect((await taps('test=1&after=1')).body['taps']).toEqual([second]);
		await tap(id);
		await done([(await taps('test=1&after=2')).body['taps'][0].tap_id], { test: true });
		expect((await taps()).body['taps'].map((one: any) => one.number)).toEqual([1, 3]);
	});

	it('is tested before anything listens to it', async () => {
		await register({ test: true });
		const id = await push(button('Ship it'));
		expect(await tap(id)).toMatchObject({ message: '“Ship” is starting.' });
		const [first] = (await taps('test=1')).body['taps'];
		await done([first.tap_id], { test: true });
		expect((await taps()).body['taps']).toEqual([]);
	});

	it('is listed for the keys that may name it, with whether anything listens', async () => {
		await server.addChannel('ops', { users: ['owner'] });
		const own = await server.addKey(server.account.id, ['ops']);
		const list = async (key?: string) =>
			(await server.call('GET', '/triggers', undefined, { ...(key !== undefined && { key }) }))
				.body;
		await register();
		expect(await list()).toEqual({
			success: true,
			triggers: [{ trigger_id: TRIGGER, name: 'Ship', listening: true }],
			next: null,
		});
		expect((await list(own))['triggers']).toEqual([]);
		expect(await register({}, own)).toMatchObject({ status: 404 });
		expect(await taps(undefined, own)).toMatchObject({ status: 404 });
		expect(
			await server.call(
				'POST',
				'/push-notification',
				{ title: 'A', actions: [button('Ship it')] },
				{ key: own },
			),
		).toMatchObject({
			status: 400,
			body: {
				error: 'Invalid action',
				issues: [{ path: 'actions[0].url', message: expect.stringContaining('trigger') }],
			},
		});
		server.clock.advance(2 * MINUTE);
		expect((await list())['triggers']).toMatchObject([{ listening: false }]);
	});

	it('of another account is unknown', async () => {
		await register();
		const { key } = await server.addAccount();
		expect(await taps(undefined, key)).toMatchObject({ status: 404 });
		expect(
			await server.call('PUT', '/live-activity/stream/s', {
				content_state: { type: 'alert', title: 'A', message: 'B' },
				action: button('Ship it'),
			}),
		).toMatchObject({ status: 200 });
		expect(
			await server.call(
				'PUT',
				'/live-activity/stream/s',
				{ content_state: { type: 'alert', title: 'A', message: 'B' }, action: button('Ship it') },
				{ key },
			),
		).toMatchObject({ status: 400, body: { issues: [{ path: 'action.url' }] } });
	});

	it('is forgotten after 30 days in which nothing listens', async () => {
		await register();
		const id = await push(button('Ship it'));
		server.clock.advance(30 * DAY);
		await deleteUnusedTriggers(server.context);
		expect(await taps()).toMatchObject({ status: 200 });
		server.clock.advance(30 * DAY + MINUTE);
		await deleteUnusedTriggers(server.context);
		expect(await taps()).toMatchObject({ status: 404, body: { error: 'Trigger not found' } });
		expect(await tap(id)).toMatchObject({
			outcome: 'failed',
			message: expect.stringContaining('was deleted'),
		});
	});

	it('is in the audit log once, with its key', async () => {
		await register();
		await register({ session: NEWER });
		const rows = await server.context.database.read
			.selectFrom('audit_log')
			.select(['actor', 'actor_name', 'subject'])
			.where('event', '=', 'trigger_registered')
			.execute();
		expect(rows).toEqual([{ actor: 'key', actor_name: expect.any(String), subject: 'Ship' }]);
	});

	it('answers at once when the server stops', async () => {
		await register();
		const waiting = taps(`session=${SESSION}&wait=50`);
		await waitFor('the request to wait', () => server.context.triggerWaits.size === 1);
		server.context.triggerWaits.stop();
		expect((await within('the answer', waiting, WAIT_MS)).body).toEqual({
			success: true,
			taps: [],
		});
	});
});
