import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { devicesForConsole } from '../../src/service/phones/devices.ts';
import type { Context } from '../../src/service/context.ts';
import { STATES, SUBSCRIPTION } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
});
afterEach(() => server.close());

const get = async (path: string) => (await owner.call('GET', path)).body;
const status = async (...call: Parameters<Console['call']>) => (await owner.call(...call)).status;

describe('devices', () => {
	it('tells which phones are reachable, and how', async () => {
		const phone = (await get('/devices'))['devices'][0];
		expect(phone).toMatchObject({ name: 'Phone', user: 'Olga', reach: 'while_open' });
		const stop = server.context.openPages.subscribe({
			deviceId: phone.id,
			accountId: server.account.id,
			notify: () => undefined,
		});
		expect((await get('/devices'))['devices'][0].reach).toBe('open');
		stop();
		await server.phone.call('PUT', '/tokens', { push_subscription: SUBSCRIPTION });
		expect((await get('/devices'))['devices'][0]).toMatchObject({ reach: 'push', advice: null });
	});

	it('says why nothing wakes a phone, and what to do about it', async () => {
		const ios = await server.pairPhone({ platform: 'ios', name: 'iPhone' });
		const { context } = server;
		const withKey = { ...context, settings: { ...context.settings, pushesToIphones: true } };
		const iphone = async (on: Context) => {
			const { devices } = await devicesForConsole(on, server.account.id);
			return devices.find(({ id }) => id === ios.id);
		};
		const web = (await get(`/devices?id=${server.phone.id}`))['devices'][0];
		expect(web.advice).toMatch(/Notifications are off/);
		expect(await iphone(withKey)).toMatchObject({
			reach: 'while_open',
			advice: expect.stringContaining('has not registered for push'),
		});
		await ios.call('PUT', '/tokens', { push_token: 'x' });
		expect(await iphone(withKey)).toMatchObject({ reach: 'push', advice: null });
		expect(await iphone(context)).toMatchObject({
			reach: 'while_open',
			advice: expect.stringContaining('BECKON_APNS_KEY_FILE'),
		});
	});

	it('pairs a phone with the code that it shows', async () => {
		const { body } = await owner.call('POST', '/devices/pair-code', { user: 'Olga' });
		const answer = await server.app.inject({
			method: 'POST',
			url: '/device/pair',
			payload: { code: body['code'], name: 'New', platform: 'web' },
		});
		expect(answer.statusCode).toBe(200);
		expect((await get('/devices'))['devices']).toHaveLength(2);
	});

	it('sends a test push to that phone alone', async () => {
		const other = await server.pairPhone({ name: 'Other' });
		const { body } = await owner.call('POST', `/devices/${server.phone.id}/test`);
		expect(body['state']).toBe('stored');
		expect(await server.phone.inbox()).toHaveLength(1);
		expect(await other.inbox()).toEqual([]);
	});

	it('ends a disconnected phone’s access, and no longer tests it', async () => {
		expect(await status('DELETE', `/devices/${server.phone.id}`)).toBe(200);
		expect((await server.phone.call('GET', '/inbox')).status).toBe(401);
		expect(await status('POST', `/devices/${server.phone.id}/test`)).toBe(409);
	});
});

describe('channels', () => {
	it('hold people and phones, which replace the earlier ones', async () => {
		await owner.call('POST', '/users', { name: 'Anna' });
		await owner.call('POST', '/channels', { slug: 'ops' });
		await owner.call('PUT', '/channels/ops', {
			users: ['Olga', 'Anna'],
			devices: [server.phone.id],
		});
		expect((await get('/channels'))['channels'][0]).toMatchObject({
			users: ['Anna', 'Olga'],
			devices: [{ id: server.phone.id, name: 'Phone' }],
			reaches: 1,
			only_while_open: 1,
		});
		await owner.call('PUT', '/channels/ops', { users: [], name: 'Operations' });
		expect((await get('/channels'))['channels'][0]).toMatchObject({
			name: 'Operations',
			users: [],
			devices: [{ id: server.phone.id, name: 'Phone' }],
		});
	});

	it('change nothing when one of the members does not exist', async () => {
		await owner.call('POST', '/channels', { slug: 'ops' });
		await owner.call('PUT', '/channels/ops', { users: ['Olga'] });
		expect(await status('PUT', '/channels/ops', { users: ['Nobody'] })).toBe(404);
		expect((await get('/channels'))['channels'][0].users).toEqual(['Olga']);
	});

	it('stay while an unrevoked key is restricted to them', async () => {
		await owner.call('POST', '/channels', { slug: 'ops' });
		const { body } = await owner.call('POST', '/keys', { name: 'Ops', channels: ['ops'] });
		expect(await status('DELETE', '/channels/ops')).toBe(409);
		await owner.call('DELETE', `/keys/${body['id']}`);
		expect(await status('DELETE', '/channels/ops')).toBe(200);
	});
});

describe('keys', () => {
	it('are answered once, and work until they are revoked', async () => {
		const { body } = await owner.call('POST', '/keys', { name: 'Workflow' });
		expect(body['key']).toMatch(/^bk_[\w-]{43}$/);
		expect(JSON.stringify(await get('/keys'))).not.toContain(body['key']);
		const use = () =>
			server.call('POST', '/push-notification', { title: 'x' }, { key: body['key'] });
		expect((await use()).status).toBe(200);
		await owner.call('DELETE', `/keys/${body['id']}`);
		expect((await use()).status).toBe(401);
	});
});

describe('metrics', () => {
	const set = (value: number | string) => server.call('POST', '/metrics/load/value', { value });

	beforeEach(() =>
		owner.call('POST', '/metrics', { key: 'load', name: 'Load', format: 'percent' }),
	);

	it('show their latest value and the hundred newest', async () => {
		for (let value = 0; value < 105; value += 1) await set(value);
		const metric = (await get('/metrics'))['metrics'][0];
		expect(metric).toMatchObject({ value: 104, format: 'percent' });
		expect(metric.recent).toHaveLength(100);
		expect(metric.recent[0].value).toBe(5);
	});

	it('ask for a unit where the format has one', async () => {
		const { status: code, body } = await owner.call('POST', '/metrics', {
			key: 'a',
			name: 'A',
			format: 'currency',
		});
		expect([code, body['message']]).toEqual([
			400,
			expect.stringContaining('unit is required for this format'),
		]);
	});

	it('get another name, format and unit, and keep their values', async () => {
		await set(41);
		const look = { name: 'Latency', format: 'unit', unit: 'ms' };
		expect((await owner.call('PUT', '/metrics/load', { ...look, unit: undefined })).status).toBe(
			400,
		);
		expect(await status('PUT', '/metrics/load', look)).toBe(200);
		const [metric] = (await get('/metrics'))['metrics'];
		expect(metric).toMatchObject({ ...look, value: 41, recent: [{ value: 41 }] });
		const [shown] = (await server.phone.snapshot())['metrics'];
		expect(shown).toMatchObject(look);
		expect(await status('PUT', '/metrics/load', { name: 'Load', format: 'number' })).toBe(200);
		expect((await get('/metrics'))['metrics'][0]).toMatchObject({ name: 'Load', unit: null });
	});

	it('are refused to workflows once deleted', async () => {
		await set(1);
		expect(await status('DELETE', '/metrics/load')).toBe(200);
		expect((await set(2)).status).toBe(404);
	});
});

describe('live now', () => {
	const put = (state: object) =>
		server.call('PUT', '/live-activity/stream/deploy', { content_state: state });

	it('pauses a stream, shows what it remembers, and resumes it', async () => {
		await put(STATES.progress);
		expect((await get('/live'))['activities'][0]).toMatchObject({
			devices: 1,
			activity: { stream_key: 'deploy' },
		});
		await owner.call('POST', '/streams/deploy/pause');
		expect((await put({ percentage: 80 })).body['operation']).toBe('paused');
		const live = await get('/live');
		expect(live['activities']).toEqual([]);
		expect(live['streams'][0]).toMatchObject({
			stream_key: 'deploy',
			remembered: { content_state: { percentage: 80 } },
			devices: 1,
		});
		expect((await owner.call('POST', '/streams/deploy/resume')).body).toEqual({ started: true });
		expect((await get('/live'))['activities'][0].activity.content_state.percentage).toBe(80);
	});

	it('says how many phones a paused stream starts on: those of its channels', async () => {
		await server.addChannel('ops', { devices: [server.phone.id] });
		await server.pairPhone();
		for (const [channels, devices] of [
			[undefined, 2],
			[['ops'], 1],
		]) {
			const target = channels && { channels };
			await server.call('PUT', '/live-activity/stream/deploy', {
				content_state: STATES.progress,
				target,
			});
			await owner.call('POST', '/streams/deploy/pause');
			expect((await get('/live'))['streams']).toMatchObject([{ devices }]);
			await owner.call('POST', '/streams/deploy/resume');
		}
	});

	it('ends streams and activities that were started by hand', async () => {
		await put(STATES.progress);
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: STATES.timer,
		});
		await owner.call('DELETE', '/streams/deploy');
		await owner.call('POST', `/activities/${body['activity_id']}/end`);
		expect(await get('/live')).toMatchObject({ activities: [], streams: [] });
	});
});

describe('the playground', () => {
	const preview = (request: object) => owner.call('POST', '/playground/preview', request);

	it('shows what a phone would show, and stores nothing', async () => {
		const { body } = await preview({
			request: 'stream',
			key: 'deploy',
			body: { content_state: STATES.segmented_progress },
		});
		expect(body['activity'].content_state).toMatchObject({ number_of_steps: 4, current_step: 1 });
		expect(await get('/live')).toMatchObject({ activities: [], streams: [] });
	});

	it('merges an update over what runs', async () => {
		await server.call('PUT', '/live-activity/stream/deploy', {
			content_state: STATES.segmented_progress,
		});
		const { body } = await preview({
			request: 'stream',
			key: 'deploy',
			body: { content_state: { current_step: 3 } },
		});
		expect(body['activity'].content_state).toMatchObject({ title: 'Deploy', current_step: 3 });
	});

	it('tells the phones that it would reach, and none for what is not for phones', async () => {
		await server.pairPhone();
		await server.addChannel('ops', { devices: [server.phone.id] });
		const target = { target: { channels: ['ops'] } };
		const state = { content_state: STATES.timer };
		const push = { title: 'A' };
		const question = { ...push, choices: [{ id: 'a', title: 'A' }] };
		await server.call('PUT', '/live-activity/stream/one', { ...state, ...target });
		const counted: Array<[object, number | null]> = [
			[{ request: 'push', body: push }, 2],
			[{ request: 'push', body: { ...push, ...target } }, 1],
			[{ request: 'repeated', body: { push, repeat: { every_minutes: 1, times: 1 } } }, 2],
			[
				{
					request: 'repeated',
					body: { push: { ...push, ...target }, repeat: { every_minutes: 1, times: 1 } },
				},
				1,
			],
			[{ request: 'question', body: { ...question, ...target } }, 1],
			[{ request: 'badge', body: { badge: 1 } }, 2],
			[{ request: 'badge', body: { badge: 1, ...target } }, 1],
			[{ request: 'start', body: { ...state, ...target } }, 1],
			[{ request: 'stream', key: 'two', body: state }, 2],
			[{ request: 'stream', key: 'two', body: { ...state, channels: ['ops'] } }, 1],
			[{ request: 'stream', key: 'two', body: { ...state, ...target } }, 1],
			[{ request: 'stream_end', key: 'one', body: {} }, 1],
			[{ request: 'metric', key: 'load', body: { value: 1 } }, null],
			[{ request: 'channels', body: {} }, null],
		];
		for (const [request, phones] of counted)
			expect([request, (await preview(request)).body['phones']]).toEqual([request, phones]);
		const unknown = { ...push, target: { channels: ['gone'] } };
		expect((await preview({ request: 'push', body: unknown })).status).toBe(400);
	});

	it.each(['preview', 'send'])('refuses in the words of the public API (%s)', async (route) => {
		const body = {
			title: '',
			actions: [{ title: 'x', type: 'open_url', url: 'javascript:alert(1)' }],
		};
		const { body: api } = await server.call('POST', '/push-notification', body);
		const { status: code, body: answer } = await owner.call('POST', `/playground/${route}`, {
			request: 'push',
			body,
		});
		expect([code, answer]).toEqual([400, api]);
	});

	it('counts towards the allowance of the account', async () => {
		for (let sent = 0; sent < 60; sent += 1)
			await owner.call('POST', '/playground/send', { request: 'badge', body: { badge: sent } });
		expect(
			(await owner.call('POST', '/playground/send', { request: 'badge', body: { badge: 0 } }))
				.status,
		).toBe(429);
		expect((await server.call('POST', '/badge', { badge: 1 })).status).toBe(429);
	});
});

describe('members', () => {
	it('cannot take away the account’s last owner', async () => {
		const member = await signedIn(server, { invitedBy: owner });
		expect(await status('PUT', `/members/${owner.memberId}`, { role: 'member' })).toBe(409);
		expect(await status('DELETE', `/members/${owner.memberId}`)).toBe(409);
		expect(await status('PUT', `/members/${member.memberId}`, { role: 'owner' })).toBe(200);
		expect(await status('DELETE', `/members/${owner.memberId}`)).toBe(200);
		expect(await status('GET', '/session')).toBe(401);
	});

	it('join with the address that they were invited by, and no other', async () => {
		const { body } = await owner.call('POST', '/invitations', {
			role: 'member',
			email: 'Max@Example.com',
		});
		const join = (email: string) =>
			callConsole(server, 'POST', '/join', {
				token: body['token'],
				name: 'Max',
				email,
				password: PASSWORD,
			});
		const other = await join('eve@example.com');
		expect(other.status).toBe(409);
		expect(other.body['message']).toContain('for max@example.com');
		expect((await join('max@example.com')).status).toBe(200);
	});

	it('are invited by a link that can be withdrawn', async () => {
		await owner.call('POST', '/invitations', { role: 'member', email: 'Max@Example.com' });
		const [invitation] = (await get('/members'))['invitations'];
		expect(invitation).toMatchObject({ role: 'member', email: 'max@example.com' });
		expect(await status('DELETE', `/invitations/${invitation.id}`)).toBe(200);
		expect((await get('/members'))['invitations']).toEqual([]);
	});
});
