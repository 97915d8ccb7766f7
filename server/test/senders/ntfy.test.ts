import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { basic, newest, send, startWithKey } from './support/send.ts';

let server: TestServer;
let key: string;
beforeEach(async () => {
	({ server, key } = await startWithKey({ ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' }));
});
afterEach(() => server.close());

const shown = async () => (await newest(server)).push;

describe('a message to /ntfy/{topic}', () => {
	it.each(['POST', 'PUT'] as const)('arrives by %s, with its body as text', async (method) => {
		const { status, body } = await send(server, '/ntfy/ops', {
			method,
			key,
			body: 'Backup done',
		});
		expect(status).toBe(200);
		expect(body).toEqual({
			id: expect.stringMatching(/^[\w-]{12}$/),
			time: server.clock.now / 1_000,
			event: 'message',
			topic: 'ops',
			message: 'Backup done',
		});
		expect(await shown()).toMatchObject({
			title: 'ops',
			message: 'Backup done',
			interruption_level: 'active',
		});
	});

	it('takes a body of any content type, and none', async () => {
		for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
			const headers = { 'content-type': type };
			const { status } = await send(server, '/ntfy/ops', { key, headers, body: '{"a":1}' });
			expect([type, status]).toEqual([type, 200]);
			expect((await shown()).message).toBe('{"a":1}');
		}
		expect((await send(server, '/ntfy/ops', { key })).body.message).toBe('triggered');
	});

	const FULL = {
		title: 'Disk full',
		priority: 'urgent',
		tags: 'prod,disk',
		click: 'https://example.com/disk',
		icon: 'https://example.com/icon.png',
		attach: 'https://example.com/graph.png',
	};
	const SHORT = {
		title: 't',
		priority: 'p',
		tags: 'ta',
		click: 'click',
		icon: 'icon',
		attach: 'a',
	};
	const renamed = (names: Record<string, string>) =>
		Object.fromEntries(Object.entries(FULL).map(([name, value]) => [names[name] ?? name, value]));
	const prefixed = Object.fromEntries(
		Object.entries(FULL).map(([name, value]) => [`X-${name}`, value]),
	);

	it.each([
		['headers', { headers: FULL, query: {} }],
		['headers with X-', { headers: prefixed, query: {} }],
		['short headers', { headers: renamed(SHORT), query: {} }],
		['the query', { headers: {}, query: FULL }],
		['the short query', { headers: {}, query: renamed(SHORT) }],
	])('takes its details from %s', async (_where, { headers, query }) => {
		const url = `/ntfy/ops?${new URLSearchParams(query).toString()}`;
		const { status } = await send(server, url, { key, headers, body: '91 %' });
		expect(status).toBe(200);
		expect(await shown()).toMatchObject({
			title: 'Disk full',
			message: '91 %',
			interruption_level: 'time-sensitive',
			tags: ['prod', 'disk'],
			redirection: 'https://example.com/disk',
			icon: 'https://example.com/icon.png',
			media: 'https://example.com/graph.png',
		});
	});

	it.each([
		['bytes of UTF-8', Buffer.from('Größe ✓').toString('latin1')],
		['base64 words of RFC 2047', '=?UTF-8?B?R3LDtsOfZSDinJM=?='],
		['quoted words of RFC 2047', '=?utf-8?Q?Gr=C3=B6=C3=9Fe_=E2=9C=93?='],
	])('reads a title in %s', async (_how, title) => {
		await send(server, '/ntfy/ops', { key, headers: { title }, body: 'x' });
		expect((await shown()).title).toBe('Größe ✓');
	});

	it.each([
		['1', 'passive'],
		['min', 'passive'],
		['low', 'passive'],
		['3', 'active'],
		['default', 'active'],
		['high', 'time-sensitive'],
		['5', 'time-sensitive'],
		['u=3, i', 'active'],
		['9', 'active'],
	])('disturbs at priority %s as %s', async (priority, level) => {
		await send(server, '/ntfy/ops', { key, headers: { priority }, body: 'x' });
		expect((await shown()).interruption_level).toBe(level);
	});

	it('takes its buttons from the short form', async () => {
		const actions = `view, "Open; all, of it", https://example.com/a?b=c;
			http, Close, url=https://example.com/close, method=post, body='{"door": 1}'`;
		const query = new URLSearchParams({ actions }).toString();
		await send(server, `/ntfy/ops?${query}`, { key, body: 'Door' });
		expect((await shown()).actions).toEqual([
			{ title: 'Open; all, of it', type: 'open_url', url: 'https://example.com/a?b=c' },
			{ title: 'Close', type: 'webhook' },
		]);
		const [{ actions_json: stored }] = (await server.context.database.read
			.selectFrom('messages')
			.select('actions_json')
			.execute()) as any;
		expect(JSON.parse(stored)[1]).toMatchObject({ method: 'POST', body: { door: 1 } });
	});

	it('loses a button that could not do what it says', async () => {
		const http = { action: 'http', label: 'No', url: 'https://example.com' };
		const actions = [
			{ ...http, method: 'PUT' },
			{ ...http, headers: { authorization: 'x' } },
			{ ...http, body: 'no object' },
			{ action: 'broadcast', label: 'No' },
			{ action: 'view', label: 'No', url: 'javascript:alert(1)' },
			null,
			{ action: 'view', label: 'Yes', url: 'https://example.com' },
		];
		const { status } = await send(server, '/ntfy', { key, body: { topic: 'ops', actions } });
		expect(status).toBe(200);
		expect((await shown()).actions.map(({ title }: any) => title)).toEqual(['Yes']);
	});
});

describe('a message as JSON', () => {
	const MESSAGE = {
		topic: 'ops',
		title: 'Site [Down]',
		message: 'connect ECONNREFUSED',
		priority: 5,
		tags: ['prod'],
		actions: [{ action: 'view', label: 'Open Site', url: 'https://example.com' }],
	};

	it.each(['/', '/ntfy'])('arrives at POST %s', async (url) => {
		const { status, body } = await send(server, url, { key, body: MESSAGE });
		expect(status).toBe(200);
		expect(body).toMatchObject({ topic: 'ops', title: 'Site [Down]', tags: ['prod'] });
		expect(await shown()).toMatchObject({
			title: 'Site [Down]',
			message: 'connect ECONNREFUSED',
			interruption_level: 'time-sensitive',
			actions: [{ title: 'Open Site', type: 'open_url', url: 'https://example.com' }],
		});
	});

	it('takes what it lacks from the headers, as Apprise sends it', async () => {
		const headers = { 'x-priority': 'max', 'x-tags': 'disk,unfit tag' };
		await send(server, '/', { key, headers, body: { topic: 'ops', message: 'x' } });
		expect(await shown()).toMatchObject({
			interruption_level: 'time-sensitive',
			tags: ['disk'],
		});
	});

	it.each([
		['no JSON', 'Disk full', 'must be an object'],
		['no topic', '{"message":"x"}', 'topic is required'],
		['a list', '[]', 'must be an object'],
	])('is refused with %s', async (_what, body, words) => {
		const answer = await send(server, '/', { key, body });
		expect(answer.status).toBe(400);
		expect(answer.body).toEqual({
			code: 40000,
			http: 400,
			error: expect.stringContaining(words),
		});
	});

	it('is the only route at the root', async () => {
		for (const [method, url] of [
			['PUT', '/'],
			['POST', '/ops'],
			['GET', '/ntfy/ops'],
		] as const)
			expect((await send(server, url, { method, key })).status).toBe(404);
	});
});

describe('what would change the meaning of a message', () => {
	it.each([
		['a delay', 'delay', '30m'],
		['a delay by its short name', 'in', '30m'],
		['an email', 'email', 'a@example.com'],
		['a call', 'call', 'yes'],
		['a file', 'filename', 'log.txt'],
	])('is refused: %s', async (_what, name, value) => {
		const { status, body } = await send(server, '/ntfy/ops', {
			key,
			headers: { [name]: value },
			body: 'x',
		});
		expect(status).toBe(400);
		expect(body).toEqual({ code: 40000, http: 400, error: expect.stringMatching(/^Beckon /) });
		expect(await server.phone.inbox()).toEqual([]);
	});

	it('is refused: a body that is not text', async () => {
		const body = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
		expect((await send(server, '/ntfy/ops', { key, body })).body.error).toContain('no files');
	});

	it('is refused in JSON too', async () => {
		const body = { topic: 'ops', message: 'x', delay: '1h' };
		expect((await send(server, '/', { key, body })).body.error).toBe(
			'Beckon delivers every message at once: send it without a delay.',
		);
	});
});

describe('Markdown', () => {
	it.each<[string, Record<string, string>, boolean]>([
		['its header', { markdown: 'yes' }, true],
		['its short header', { md: '1' }, true],
		['the type of the body', { 'content-type': 'text/markdown; charset=utf-8' }, true],
		['a header that denies it', { 'x-markdown': 'no', 'content-type': 'text/markdown' }, false],
		['nothing', {}, false],
	])('is what %s says', async (_name, headers, expected) => {
		const { body } = await send(server, '/ntfy/ops', { key, headers, body: '**bold**' });
		expect((await shown()).markdown ?? false).toBe(expected);
		expect(body.content_type).toBe(expected ? 'text/markdown' : undefined);
	});

	it('is asked for in JSON too', async () => {
		await send(server, '/', { key, body: { topic: 'ops', message: '*x*', markdown: true } });
		expect(await shown()).toMatchObject({ message: '*x*', markdown: true });
	});
});

describe('a sequence', () => {
	const publish = (message: string, url = '/ntfy/ops', headers: Record<string, string> = {}) =>
		send(server, url, { key, headers, body: message });
	const onScreen = async () =>
		(await server.phone.snapshot()).notifications.map(({ push }: any) => push.message);

	it.each<[string, (message: string) => ReturnType<typeof send>]>([
		['a header', (message) => publish(message, '/ntfy/ops', { 'X-Sequence-ID': 'backup-1' })],
		['a short header', (message) => publish(message, '/ntfy/ops', { sid: 'backup-1' })],
		['the query', (message) => publish(message, '/ntfy/ops?sequence-id=backup-1')],
		['the path', (message) => publish(message, '/ntfy/ops/backup-1')],
		[
			'JSON',
			(message) =>
				send(server, '/', { key, body: { topic: 'ops', message, sequence_id: 'backup-1' } }),
		],
	])('in %s is shown once, as its last message says', async (_where, change) => {
		await publish('started', '/ntfy/ops/backup-1');
		const { status, body } = await change('done');
		expect([status, body.sequence_id]).toEqual([200, 'backup-1']);
		expect(await onScreen()).toEqual(['done']);
	});

	it('is also the id of its first message', async () => {
		const { body: first } = await publish('10 %');
		const { body } = await publish('20 %', `/ntfy/ops/${first.id}`);
		expect(body).toMatchObject({ event: 'message', sequence_id: first.id });
		expect(await onScreen()).toEqual(['20 %']);
	});

	it.each([
		['PUT', '/clear', 'message_clear'],
		['PUT', '/read', 'message_clear'],
		['DELETE', '', 'message_delete'],
	] as const)('is taken off every phone by %s …%s', async (method, end, event) => {
		await publish('started', '/ntfy/ops/backup-1');
		await publish('something else');
		const { status, body } = await send(server, `/ntfy/ops/backup-1${end}`, { method, key });
		expect([status, body]).toEqual([
			200,
			{
				id: expect.stringMatching(/^[\w-]{12}$/),
				time: server.clock.now / 1_000,
				event,
				topic: 'ops',
				sequence_id: 'backup-1',
			},
		]);
		expect(await onScreen()).toEqual(['something else']);
		expect(await newest(server)).toMatchObject({ kind: 'push_update', push: { cleared: true } });
		const { length } = await server.phone.inbox();
		await send(server, `/ntfy/ops/backup-1${end}`, { method, key });
		expect(await server.phone.inbox()).toHaveLength(length);
		await publish('started again', '/ntfy/ops/backup-1');
		expect(await onScreen()).toEqual(['started again', 'something else']);
	});

	it('can be unknown when it is cleared', async () => {
		const { status } = await send(server, '/ntfy/ops/never-sent/clear', { method: 'PUT', key });
		expect(status).toBe(200);
	});

	it('is refused outside the key’s channels, and with an id that ntfy does not allow', async () => {
		await server.addChannel('sales', { devices: [server.phone.id] });
		const put = { method: 'PUT', key } as const;
		expect((await send(server, '/ntfy/sales/a/clear', put)).status).toBe(403);
		const { status, body } = await publish('x', '/ntfy/ops', { 'X-Sequence-ID': 'not one' });
		expect([status, body.error]).toEqual([400, expect.stringContaining('sequence_id must be')]);
		expect((await send(server, '/ntfy/ops/not%20one/clear', put)).status).toBe(400);
	});
});

describe('everything else', () => {
	it('arrives: unfit tags, links and pictures are dropped', async () => {
		const body = {
			topic: 'ops',
			message: 'Server down',
			tags: ['ok', 'Not OK', 7, 'ok'],
			click: 'javascript:alert(1)',
			icon: 'http://example.com/plain.png',
			attach: 'not a URL',
			markdown: true,
			priority: { high: true },
			surprise: 1,
		};
		const { status } = await send(server, '/', { key, body });
		expect(status).toBe(200);
		const push = await shown();
		expect(push).toMatchObject({ message: 'Server down', tags: ['ok'] });
		expect(Object.keys(push)).not.toEqual(expect.arrayContaining(['redirection', 'icon', 'media']));
	});

	it('arrives: a picture gives way to buttons', async () => {
		const headers = {
			attach: 'https://example.com/a.png',
			actions: 'view, Open, https://example.com',
		};
		await send(server, '/ntfy/ops', { key, headers, body: 'x' });
		const push = await shown();
		expect(push.actions).toHaveLength(1);
		expect(push).not.toHaveProperty('media');
	});

	it('arrives: long texts end in an ellipsis', async () => {
		const body = { topic: 'ops', title: 'ü'.repeat(300), message: '🚀'.repeat(5_000) };
		expect((await send(server, '/', { key, body })).status).toBe(200);
		const { title, message } = await shown();
		expect(title).toBe(`${'ü'.repeat(254)}…`);
		expect(message).toBe(`${'🚀'.repeat(3_999)}…`);
	});

	it('arrives without a button that the server may not call', async () => {
		await server.close();
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { devices: [server.phone.id] });
		key = await server.addSenderKey(['ops']);
		const actions = [{ action: 'http', label: 'Off', url: 'http://lamp.lan/off' }];
		const { status } = await send(server, '/', { key, body: { topic: 'ops', actions } });
		expect(status).toBe(200);
		expect(await shown()).not.toHaveProperty('actions');
	});
});

describe('the key of an ntfy message', () => {
	const raw = (text: string) => Buffer.from(text).toString('base64url');

	it.each([
		['a bearer token', () => ({ headers: { authorization: `Bearer ${key}` } })],
		['a password', () => ({ headers: { authorization: basic('anyone', key) } })],
		['a name without a password', () => ({ headers: { authorization: basic(key, '') } })],
		['?auth= with Bearer', () => ({ query: `?auth=${raw(`Bearer ${key}`)}` })],
		['?auth= with Basic', () => ({ query: `?auth=${raw(basic('', key))}` })],
	])('is taken as %s', async (_how, where) => {
		const { headers = {}, query = '' } = where() as {
			headers?: Record<string, string>;
			query?: string;
		};
		expect((await send(server, `/ntfy/ops${query}`, { headers, body: 'x' })).status).toBe(200);
	});

	it.each([
		['missing', undefined],
		['unknown', `Bearer bs_${'x'.repeat(43)}`],
	])('is answered in ntfy’s form when it is %s', async (_what, authorization) => {
		const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
		const { status, body, headers: answered } = await send(server, '/ntfy/ops', { headers });
		expect(status).toBe(401);
		expect(answered['www-authenticate']).toBe('Bearer');
		expect(body).toEqual({ code: 40101, http: 401, error: expect.stringContaining('sender key') });
	});
});

describe('the topic', () => {
	it('is refused outside the key’s channels', async () => {
		await server.addChannel('sales', { devices: [server.phone.id] });
		const { status, body } = await send(server, '/ntfy/sales', { key, body: 'x' });
		expect([status, body.code]).toEqual([403, 40301]);
		expect(body.error).toContain('ops');
	});

	it.each(['/ntfy', '/ntfy/', '/'])('is in the JSON to %s', async (url) => {
		const body = { topic: 'ops', message: 'Done' };
		expect((await send(server, url, { key, body })).status).toBe(200);
		expect(await shown()).toMatchObject({ title: 'ops', message: 'Done' });
		expect((await send(server, url, { key, body: 'Done' })).status).toBe(400);
	});

	it.each(['nowhere', 'Not%20a%20slug', '%20'])(
		'is refused when it is no channel: %s',
		async (topic) => {
			const { status, body } = await send(server, `/ntfy/${topic}`, { key, body: 'x' });
			expect(status).toBe(403);
			expect(body.error).toContain(decodeURIComponent(topic));
		},
	);
});
