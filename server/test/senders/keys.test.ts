import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../../src/service/keys-and-channels/api-keys.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { group } from './support/groups.ts';
import { send } from './support/send.ts';

const ROUTES = [
	'/ntfy/ops',
	'/ntfy',
	'/',
	'/gotify/message',
	'/alertmanager',
	'/grafana',
	'/agent-hook',
];

let server: TestServer;
let key: string;
const start = async (settings: Record<string, string> = UNLIMITED) => {
	server = await startTestServer({ settings });
	await server.addChannel('ops', { devices: [server.phone.id] });
	key = await server.addSenderKey(['ops']);
};
afterEach(() => server.close());

const push = (options: Parameters<typeof send>[2] = {}) =>
	send(server, '/ntfy/ops', { key, body: 'x', ...options });

describe('a sender key', () => {
	beforeEach(() => start());

	it('begins with bs_ and is stored as its hash only', async () => {
		expect(key).toMatch(/^bs_A[\w-]{14}$/);
		const rows = await server.context.database.read.selectFrom('api_keys').selectAll().execute();
		expect(JSON.stringify(rows)).not.toContain(key.slice(3));
	});

	it('names its channels', async () => {
		const { account, context } = server;
		await expect(createApiKey(context, account.id, { name: 'x', sender: true })).rejects.toThrow(
			'channels must name at least one',
		);
	});

	it('is refused by the API, which says what it is', async () => {
		const { status, body } = await server.call('POST', '/badge', { badge: 1 }, { key });
		expect(status).toBe(401);
		expect(body['message']).toContain('sender key');
	});

	it.each(ROUTES)('is the only key at %s', async (url) => {
		const { status, text } = await send(server, url, { key: server.account.key, body: {} });
		expect(status).toBe(401);
		expect(text).toContain('This is an API key');
	});

	it('is refused once it is revoked', async () => {
		expect((await push()).status).toBe(200);
		await server.revokeKey(server.account.id, key);
		expect((await push()).status).toBe(401);
	});
});

describe('the page of a sender key', () => {
	beforeEach(() => start());

	const sender = async () => {
		await server.context.requests.flush();
		const keys = await listAccountApiKeys(server.context, server.account.id);
		return keys.find(({ last_four: end }) => key.endsWith(end))!;
	};

	it('shows no request before the first', async () => {
		expect(await sender()).toMatchObject({
			last_accepted_at: null,
			last_refused_at: null,
			last_refusal: null,
		});
	});

	it('tells when a request was last accepted and refused, and why', async () => {
		await push();
		const accepted = server.timestamp();
		server.clock.advance(5);
		await push({ headers: { delay: '1h' }, body: 'private words' });
		expect(await sender()).toMatchObject({
			last_accepted_at: accepted,
			last_refused_at: server.timestamp(),
			last_refusal: 'Beckon delivers every message at once: send it without a delay.',
		});
		server.clock.advance(5);
		await push();
		expect(await sender()).toMatchObject({
			last_accepted_at: server.timestamp(),
			last_refusal: expect.stringContaining('delay'),
		});
	});

	it('does not repeat a key that was sent as a topic, nor all of a long one', async () => {
		await send(server, `/ntfy/${key}`, { key, body: 'x' });
		expect((await sender()).last_refusal).toMatch(/it cannot target …\./);
		await send(server, `/ntfy/${'x'.repeat(9_000)}`, { key, body: 'x' });
		expect((await sender()).last_refusal).toHaveLength(500);
	});

	it('is told from that of an API key', async () => {
		const keys = await listAccountApiKeys(server.context, server.account.id);
		expect(keys.map((entry) => entry.sender)).toEqual([false, true]);
	});

	it('goes on working when the key is gone', async () => {
		await push();
		const [{ id }] = (await listAccountApiKeys(server.context, server.account.id)).slice(-1) as [
			any,
		];
		await revokeKey(server.context, server.account.id, id);
		await server.context.requests.flush();
	});
});

describe('the limits of senders', () => {
	const LIMITS = {
		...UNLIMITED,
		BECKON_RATE_NOTIFICATIONS: '5',
		BECKON_RATE_LIVE_ACTIVITIES: '5',
	};

	it('are half of the account’s allowance, so that workflows go on', async () => {
		await start(LIMITS);
		const statuses = [];
		for (let sent = 0; sent < 4; sent += 1) statuses.push((await push()).status);
		expect(statuses).toEqual([200, 200, 429, 429]);
		const call = () => server.call('POST', '/push-notification', { title: 'Workflow' });
		for (let sent = 0; sent < 3; sent += 1) expect((await call()).status).toBe(200);
		expect((await call()).status).toBe(429);
	});

	it('are shared by all sender keys of the account', async () => {
		await start(LIMITS);
		await push();
		const other = await server.addSenderKey(['ops']);
		const headers = { 'x-gotify-key': other };
		const gotify = () => send(server, '/gotify/message', { headers, body: { message: 'x' } });
		expect((await gotify()).status).toBe(200);
		const { status, body, headers: answered } = await gotify();
		expect([status, body.errorCode]).toEqual([429, 429]);
		expect(body.errorDescription).toContain('senders:notifications');
		expect(answered['retry-after']).toBe('60');
	});

	it('leave nothing to senders when workflows used all of it', async () => {
		await start(LIMITS);
		for (let sent = 0; sent < 5; sent += 1)
			await server.call('POST', '/push-notification', { title: 'Workflow' });
		expect((await push()).body).toMatchObject({ code: 42901, http: 429 });
	});

	it('count a group that goes out as a push once', async () => {
		await start({ ...UNLIMITED, BECKON_RATE_NOTIFICATIONS: '2' });
		const resolved = (name: string) =>
			send(server, '/alertmanager', {
				key,
				body: group(['critical'], { name, status: 'resolved' }),
			});
		expect((await resolved('A')).status).toBe(200);
		expect((await resolved('B')).status).toBe(429);
	});

	it('count failures against their address', async () => {
		await start({ ...UNLIMITED, BECKON_RATE_PER_ADDRESS: '2' });
		const wrong = { key: 'bs_wrong', from: '198.51.100.7' };
		expect((await push(wrong)).status).toBe(401);
		expect((await push(wrong)).status).toBe(401);
		expect((await push({ from: '198.51.100.7' })).status).toBe(429);
		expect((await push({ from: '198.51.100.8' })).status).toBe(200);
	});

	it('refuse more than 64 KiB in the sender’s own form', async () => {
		await start();
		const body = 'x'.repeat(64 * 1_024 + 1);
		expect((await push({ body })).body).toEqual({
			code: 41300,
			http: 413,
			error: expect.stringContaining('64 KiB'),
		});
		const answer = await send(server, '/gotify/message', {
			headers: { 'x-gotify-key': key },
			body: { message: body },
		});
		expect(answer.body).toMatchObject({ errorCode: 413 });
	});
});

describe('a browser', () => {
	beforeEach(() => start());

	it.each(ROUTES)('is not let in at %s from another page', async (url) => {
		const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
		const preflight = await send(server, url, { method: 'OPTIONS', headers });
		expect(preflight.status).toBe(404);
		const answer = await send(server, url, { key, headers, body: {} });
		for (const name of Object.keys({ ...preflight.headers, ...answer.headers }))
			expect(name).not.toMatch(/^access-control-/);
	});
});
