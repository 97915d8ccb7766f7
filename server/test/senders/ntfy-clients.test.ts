import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestServer } from '../support/server.ts';
import { basic, newest, send, startWithKey } from './support/send.ts';

/** What ntfy's clients do beside a POST of UTF-8. */
let server: TestServer;
let key: string;
beforeEach(async () => {
	({ server, key } = await startWithKey());
});
afterEach(() => server.close());

const shown = async () => (await newest(server)).push;

describe('publishing by GET', () => {
	it.each(['publish', 'send', 'trigger'])('sends at /%s', async (verb) => {
		const url = `/ntfy/ops/${verb}?title=Door&message=Open&priority=high`;
		const { status, body } = await send(server, url, { method: 'GET', key });
		expect([status, body.event, body.topic]).toEqual([200, 'message', 'ops']);
		expect(await shown()).toMatchObject({
			title: 'Door',
			message: 'Open',
			interruption_level: 'time-sensitive',
		});
	});

	it('sends nothing for HEAD, with which programs look at a link', async () => {
		const { statusCode } = await server.app.inject({
			method: 'HEAD',
			url: '/ntfy/ops/publish?message=Open',
			headers: { authorization: `Bearer ${key}` },
		});
		expect(statusCode).toBe(404);
		expect(await server.phone.inbox()).toEqual([]);
	});
});

describe('a body', () => {
	const post = (bytes: Buffer, type?: string) =>
		send(server, '/ntfy/ops', {
			key,
			body: bytes,
			...(type !== undefined && { headers: { 'content-type': type } }),
		});

	it.each([
		['in the charset of its type', 'text/plain; charset=iso-8859-1', 'latin1'],
		['in quoted UTF-16', 'text/plain; charset="utf-16le"', 'utf16le'],
		['as Latin-1 without a charset', 'text/plain', 'latin1'],
		[
			'as Latin-1 where it is not the UTF-8 that it claims to be',
			'text/plain; charset=utf-8',
			'latin1',
		],
		['in UTF-8', 'text/plain; charset=UTF-8', 'utf8'],
	] as const)('is read %s', async (_how, type, encoding) => {
		const { status } = await post(Buffer.from('Tür geöffnet', encoding), type);
		expect(status).toBe(200);
		expect((await shown()).message).toBe('Tür geöffnet');
	});

	it('is refused if it is a file', async () => {
		const { status, body } = await post(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]));
		expect([status, body.error]).toEqual([400, expect.stringContaining('accepts no files')]);
	});

	it('is refused in a charset that does not exist', async () => {
		const { status, body } = await post(Buffer.from([0xe9]), 'text/plain; charset=klingon');
		expect([status, body.error]).toEqual([400, expect.stringContaining('send UTF-8')]);
	});
});

describe('tags', () => {
	it('that name emojis stand before the title, and stay tags', async () => {
		const tags = 'warning,disk,tada,constructor';
		const { body } = await send(server, '/ntfy/ops', { key, headers: { title: 'Full', tags } });
		expect(body.title).toBe('Full');
		expect(await shown()).toMatchObject({
			title: '⚠️ 🎉 Full',
			tags: ['warning', 'disk', 'tada', 'constructor'],
		});
	});
});

describe('what would arrive as something else', () => {
	it.each([
		['template', 'yes'],
		['tpl', 'grafana'],
		['x-template', '1'],
		['unifiedpush', '1'],
		['up', 'true'],
		['delay', '30m'],
		['email', 'a@example.com'],
		['call', 'yes'],
	])('is refused: %s=%s', async (name, value) => {
		const url = `/ntfy/ops?${name}=${encodeURIComponent(value)}`;
		const { status, body } = await send(server, url, { key, body: '{"a":{"b":"{{.a.b}}"}}' });
		expect([status, body.code]).toEqual([400, 40000]);
		expect(await server.phone.inbox()).toEqual([]);
	});

	it('is sent where it is switched off', async () => {
		const { status } = await send(server, '/ntfy/ops?template=no&up=0', { key, body: 'x' });
		expect(status).toBe(200);
	});
});

describe("Home Assistant's integration for ntfy", () => {
	const call = (method: 'GET' | 'POST', path: string, authorization: string, body?: object) =>
		send(server, `/ntfy${path}`, { method, headers: { authorization }, body });

	it('is set up with a user and a key, and sends with the token that it gets', async () => {
		const signedIn = basic('beckon', key);
		const account = await call('GET', '/v1/account', signedIn);
		// Its library refuses an account without these.
		expect(account.body).toMatchObject({
			username: 'beckon',
			stats: { messages: 0, calls_remaining: 0 },
		});
		const { body: made } = await call('POST', '/v1/account/token', signedIn, {
			label: 'Home Assistant',
			expires: 0,
		});
		expect(made).toEqual({ token: key, last_access: server.clock.now / 1_000, expires: 0 });

		const message = {
			topic: 'ops',
			message: 'Washed',
			title: null,
			tags: [],
			priority: null,
			actions: [],
			click: null,
			attach: null,
			markdown: false,
			icon: null,
			filename: null,
			delay: null,
			email: null,
			call: null,
			sequence_id: null,
		};
		const { status } = await call('POST', '', `Bearer ${made.token}`, message);
		expect(status).toBe(200);
		expect(await shown()).toMatchObject({ title: 'ops', message: 'Washed' });
	});

	it('has a simpler form, its REST notifier, which sends JSON', async () => {
		const message = { message: 'Washed', topic: 'ops', title: 'Laundry' };
		const { status } = await call('POST', '', `Bearer ${key}`, message);
		expect(status).toBe(200);
		expect(await shown()).toMatchObject({ title: 'Laundry', message: 'Washed' });
	});

	it('is told that a key is wrong, and that it cannot listen', async () => {
		const wrong = await call('GET', '/v1/account', basic('beckon', 'bs_wrong'));
		expect([wrong.status, wrong.body.code]).toEqual([401, 40101]);
		const listening = await call('GET', '/ops/auth', `Bearer ${key}`);
		expect([listening.status, listening.body.code]).toEqual([403, 40301]);
	});
});
