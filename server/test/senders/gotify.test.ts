import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestServer } from '../support/server.ts';
import { newest, send, startWithKey } from './support/send.ts';

let server: TestServer;
let key: string;
beforeAll(async () => {
	({ server, key } = await startWithKey());
});
afterAll(() => server.close());

const shown = async () => (await newest(server)).push;
const BODY = { title: 'Backup', message: '3 of 4 done', priority: 8 };

describe('POST /gotify/message', () => {
	it('sends to the key’s channels and answers as gotify does', async () => {
		const { status, body } = await send(server, '/gotify/message', {
			headers: { 'x-gotify-key': key },
			body: BODY,
		});
		expect(status).toBe(200);
		expect(body).toEqual({
			id: expect.any(Number),
			appid: expect.any(Number),
			...BODY,
			date: new Date(server.clock.now).toISOString(),
		});
		expect(await shown()).toMatchObject({
			title: 'Backup',
			message: '3 of 4 done',
			interruption_level: 'time-sensitive',
		});
	});

	it.each([
		['?token=', () => [`?token=${key}`, {}] as const],
		['a bearer token', () => ['', { authorization: `Bearer ${key}` }] as const],
	])('takes the key as %s', async (_how, where) => {
		const [query, headers] = where();
		expect((await send(server, `/gotify/message${query}`, { headers, body: BODY })).status).toBe(
			200,
		);
	});

	it('takes the key without its prefix, which is a token of gotify', async () => {
		const token = key.slice('bs_'.length);
		// As shoutrrr checks it.
		expect(token).toMatch(/^A[A-Za-z0-9._-]{14}$/);
		const from: Array<Record<string, string>> = [
			{ 'x-gotify-key': token },
			{ authorization: `Bearer ${token}` },
		];
		for (const headers of from)
			expect((await send(server, '/gotify/message', { headers, body: BODY })).status).toBe(200);
		const { status } = await send(server, `/gotify/message?token=${token}`, { body: BODY });
		expect(status).toBe(200);
		const other = `A${'x'.repeat(14)}`;
		expect((await send(server, `/gotify/message?token=${other}`, { body: BODY })).status).toBe(401);
		expect((await send(server, '/ntfy/ops', { key: token, body: 'x' })).status).toBe(401);
	});

	it.each([
		[0, 'passive'],
		[2, 'passive'],
		[3, 'active'],
		[4, 'time-sensitive'],
		[10, 'time-sensitive'],
		[undefined, 'active'],
	])('disturbs at priority %s as %s', async (priority, level) => {
		await send(server, `/gotify/message?token=${key}`, { body: { message: 'x', priority } });
		expect((await shown()).interruption_level).toBe(level);
	});

	it('takes the link and the picture of the extras, and drops the others', async () => {
		const extras = {
			'client::notification': {
				click: { url: 'https://example.com/run' },
				bigImageUrl: 'https://example.com/graph.png',
			},
			'client::display': { contentType: 'text/markdown' },
		};
		await send(server, `/gotify/message?token=${key}`, { body: { ...BODY, extras } });
		expect(await shown()).toMatchObject({
			redirection: 'https://example.com/run',
			media: 'https://example.com/graph.png',
		});
		const unknown = { 'other::thing': 1, 'client::notification': 'odd' };
		const odd = await send(server, `/gotify/message?token=${key}`, {
			body: { ...BODY, extras: unknown },
		});
		expect(odd.status).toBe(200);
	});

	const MULTIPART = [
		'--b',
		'Content-Disposition: form-data; name="title"',
		'',
		'Größe',
		'--b',
		'Content-Disposition: form-data; name="message"',
		'',
		'3 of 4 done',
		'--b--',
		'',
	].join('\r\n');

	it.each([
		['application/x-www-form-urlencoded', 'title=Gr%C3%B6%C3%9Fe&message=3+of+4+done&priority=5'],
		['multipart/form-data; boundary=b', MULTIPART],
	])('takes a form: %s', async (type, body) => {
		const headers = { 'content-type': type };
		const { status } = await send(server, `/gotify/message?token=${key}`, { headers, body });
		expect(status).toBe(200);
		expect(await shown()).toMatchObject({ title: 'Größe', message: '3 of 4 done' });
	});

	it.each([
		['no message', 'application/json', '{"title":"x"}', 400, 'message is required'],
		['no JSON', 'application/json', '{', 400, 'not valid JSON'],
		['a broken form', 'multipart/form-data; boundary=b', 'nothing', 400, 'a readable form'],
		['another content type', 'text/csv', 'a,b', 415, 'JSON'],
	])('refuses %s in gotify’s form', async (_what, type, body, status, words) => {
		const headers = { 'content-type': type };
		const answer = await send(server, `/gotify/message?token=${key}`, { headers, body });
		expect(answer.status).toBe(status);
		expect(answer.body).toEqual({
			error: expect.any(String),
			errorCode: status,
			errorDescription: expect.stringContaining(words),
		});
	});
});
