import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPEN_URL, STATES, UNLIMITED, WEBHOOK } from '../support/samples.ts';
import {
	type Answer,
	type CallOptions,
	type Method,
	startTestServer,
	type TestServer,
} from '../support/server.ts';

const ENDPOINTS: Array<[Method, string, Record<string, unknown>]> = [
	['POST', '/badge', { badge: 1 }],
	['POST', '/push-notification', { title: 'Hello' }],
	['PUT', '/live-activity/stream/deploy', { content_state: STATES.alert }],
	['DELETE', '/live-activity/stream/deploy', {}],
	['POST', '/live-activity/start', { content_state: STATES.alert }],
	['POST', '/live-activity/update', { activity_id: 'a', content_state: {} }],
	['POST', '/live-activity/end', { activity_id: 'a', content_state: {} }],
	['POST', '/metrics/cpu/value', { value: 1 }],
];

/** Jargon of the validation library, meaningless to somebody building a workflow. */
const JARGON =
	/invalid input|invalid key|invalid element|expected|too big|too small|undefined|NaN|<=|>=/i;

describe('the body of a request', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	const push = (body: unknown, options?: CallOptions) =>
		server.call('POST', '/push-notification', body, options);
	const pathsOf = (answer: Answer) =>
		answer.body['issues'].map(({ path }: { path: string }) => path);

	describe.each(ENDPOINTS)('to %s %s', (method, path, body) => {
		it('is refused with 400 when it is not JSON', async () => {
			const answer = await server.call(method, path, '{"badge": 1');
			expect(answer.status).toBe(400);
			expect(answer.body).toEqual({
				error: 'Invalid JSON',
				message: expect.stringContaining('not valid JSON'),
			});
		});

		it('is refused with 415 when it is not said to be JSON', async () => {
			const headers = { 'content-type': 'text/plain' };
			const answer = await server.call(method, path, JSON.stringify(body), { headers });
			expect(answer.status).toBe(415);
			expect(answer.body).toEqual({
				error: expect.any(String),
				message: expect.stringContaining('application/json'),
			});
		});

		const limit = path === '/push-notification' ? 256 : 64;

		it(`is refused with 413 above ${limit} KiB`, async () => {
			const answer = await server.call(method, path, {
				...body,
				tags: ['x'.repeat(limit * 1024)],
			});
			expect(answer.status).toBe(413);
			expect(answer.body).toEqual({
				error: expect.any(String),
				message: expect.stringContaining(`${limit} KiB`),
			});
		});

		it('is refused with 400 when it has an unknown property, which is named', async () => {
			const answer = await server.call(method, path, { ...body, surprise: 1 });
			expect(answer.status).toBe(400);
			expect(answer.body['message']).toContain('surprise');
			expect(pathsOf(answer)).toContain('surprise');
		});

		it.each([
			['a list', '[]'],
			['a text', '"hello"'],
			['a number', '7'],
		])('is refused when it is %s', async (_what, text) => {
			const answer = await server.call(method, path, text);
			expect(answer.status).toBe(400);
			expect(answer.body['message']).toBe('The body must be an object.');
		});

		it('is refused when it sets a prototype', async () => {
			for (const text of [
				'{"__proto__":{"badge":1}}',
				'{"constructor":{"prototype":{"badge":1}}}',
			]) {
				const answer = await server.call(method, path, text);
				expect(answer.status).toBe(400);
				expect(answer.body).toEqual({
					error: expect.any(String),
					message: expect.stringContaining('property'),
				});
			}
		});
	});

	it.each(ENDPOINTS.filter(([method]) => method !== 'DELETE'))(
		'is required by %s %s',
		async (method, path) => {
			const empty = await server.call(method, path, '');
			const none = await server.call(method, path);
			expect([empty.status, none.status]).toEqual([400, 400]);
			expect(empty.body['message']).toBe('The body must be an object.');
			expect(none.body).toEqual(empty.body);
		},
	);

	it('may have a charset beside the content type', async () => {
		const headers = { 'content-type': 'application/json; charset=utf-8' };
		expect((await push('{"title":"Hello"}', { headers })).status).toBe(200);
	});

	it('may be exactly 64 KiB', async () => {
		const around = JSON.stringify({ badge: 1, extra: '' }).length;
		const sized = (bytes: number) => ({ badge: 1, extra: 'x'.repeat(bytes - around) });
		expect((await server.call('POST', '/badge', sized(64 * 1024))).status).toBe(400);
		expect((await server.call('POST', '/badge', sized(64 * 1024 + 1))).status).toBe(413);
	});

	it.each([
		['/push-notification', {}],
		['/push-notification/repeated', { repeat: { every_minutes: 5, times: 2 } }],
		['/questions', { choices: [{ id: 'yes', title: 'Yes' }] }],
	])('has room for the longest message, to %s, with each character escaped', async (path, more) => {
		const message = '🚀'.repeat(16_000);
		const push = { title: 'Hello', message };
		const text = JSON.stringify('repeat' in more ? { push, ...more } : { ...push, ...more });
		const escaped = text.replaceAll('🚀', '\\ud83d\\ude80');
		expect(escaped.length).toBeGreaterThan(190_000);
		expect(await server.call('POST', path, escaped)).toMatchObject({ status: 200 });
	});

	it('has an unknown property named by its path, wherever it is', async () => {
		const state = { ...STATES.metrics, metrics: [{ label: 'a', value: 1, unti: 's' }] };
		const answer = await server.call('POST', '/live-activity/start', {
			content_state: { ...state, icon: { symbol: 'star', size: 3 } },
			action: { ...OPEN_URL, methud: 'POST' },
			target: { channels: ['a'], users: [] },
		});
		expect(answer.status).toBe(400);
		for (const path of [
			'content_state.metrics[0].unti',
			'content_state.icon',
			'action.methud',
			'target.users',
		]) {
			expect(answer.body['message']).toContain(path);
		}
	});

	it('is answered with every broken rule at once, one issue each', async () => {
		const answer = await push({
			title: '',
			badge: -1,
			interruption_level: 'loud',
			actions: [{ ...OPEN_URL, url: 'ftp://x' }],
		});
		expect(answer.body['issues']).toEqual([
			{ path: 'title', message: expect.stringContaining('1 to 255') },
			{
				path: 'interruption_level',
				message: 'must be one of passive, active, time-sensitive, critical',
			},
			{ path: 'actions[0].url', message: expect.stringContaining('https') },
			{ path: 'badge', message: expect.stringContaining('0 and 2147483647') },
		]);
		for (const { path, message } of answer.body['issues'])
			expect(answer.body['message']).toContain(`${path} ${message}.`);
	});

	it('is refused with the name of a required field that is missing', async () => {
		expect((await push({})).body['message']).toBe('title is required.');
	});

	it.each<[string, string, unknown]>([
		['/badge', 'badge as text', { badge: '7' }],
		['/badge', 'badge too large for any integer', { badge: 1e300 }],
		['/badge', 'badge null', { badge: null }],
		['/badge', 'target as text', { badge: 1, target: 'ops' }],
		['/badge', 'channels as text', { badge: 1, target: { channels: 'ops' } }],
		['/badge', 'channels with a number', { badge: 1, target: { channels: [1] } }],
		['/push-notification', 'title as number', { title: 7 }],
		['/push-notification', 'metadata as list', { title: 'a', metadata: [] }],
		['/push-notification', 'metadata with an object', { title: 'a', metadata: { a: {} } }],
		[
			'/push-notification',
			'metadata with a long name',
			{ title: 'a', metadata: { ['n'.repeat(65)]: 1 } },
		],
		['/push-notification', 'metadata with an empty name', { title: 'a', metadata: { '': 1 } }],
		['/push-notification', 'payload as text', { title: 'a', payload: 'x' }],
		['/push-notification', 'actions as object', { title: 'a', actions: {} }],
		[
			'/push-notification',
			'an action without type',
			{ title: 'a', actions: [{ title: 'b', url: 'https://x.example' }] },
		],
		[
			'/push-notification',
			'an action of unknown type',
			{ title: 'a', actions: [{ ...OPEN_URL, type: 'shortcut' }] },
		],
		['/push-notification', 'an action that is null', { title: 'a', actions: [null] }],
		['/push-notification', 'tags as text', { title: 'a', tags: 'deploy' }],
		['/push-notification', 'tags with a number', { title: 'a', tags: [1] }],
		['/live-activity/start', 'no content_state', {}],
		['/live-activity/start', 'content_state as text', { content_state: 'x' }],
		['/live-activity/start', 'content_state as list', { content_state: [] }],
		['/live-activity/start', 'no type', { content_state: { title: 'a' } }],
		['/live-activity/start', 'an unknown type', { content_state: { type: 'gauge', title: 'a' } }],
		['/live-activity/start', 'a number as color', { content_state: { ...STATES.alert, color: 1 } }],
		['/live-activity/start', 'alert as text', { content_state: STATES.alert, alert: 'x' }],
		['/live-activity/update', 'no activity_id', { content_state: {} }],
		['/live-activity/update', 'an empty activity_id', { activity_id: '', content_state: {} }],
		[
			'/live-activity/update',
			'a long activity_id',
			{ activity_id: 'a'.repeat(65), content_state: {} },
		],
		['/live-activity/update', 'a number as activity_id', { activity_id: 7, content_state: {} }],
		['/metrics/cpu/value', 'no value', {}],
		['/metrics/cpu/value', 'value null', { value: null }],
		['/metrics/cpu/value', 'timestamp as number', { value: 1, timestamp: 1 }],
	])('is refused by %s with words that a person can act on: %s', async (path, _what, body) => {
		const answer = await server.call('POST', path, body);
		expect(answer.status).toBe(400);
		expect(answer.body['message']).not.toMatch(JARGON);
		expect(answer.body['message']).toMatch(/^[a-z_]+\S* (is|must|cannot)\b.*\.$/);
	});

	it.each([
		['payload', { title: 'a', payload: nested(500) }],
		[
			'the body of a webhook',
			{
				title: 'a',
				actions: [{ title: 'b', type: 'webhook', url: 'https://x.example', body: nested(500) }],
			},
		],
		['metadata', { title: 'a', metadata: { a: nested(500) } }],
		['an unknown property', { title: 'a', deep: nested(500) }],
	])('is refused when %s nests deeply', async (_where, body) => {
		const answer = await push(body);
		expect(answer.status).toBe(400);
		expect(answer.body['message'].length).toBeLessThan(500);
	});

	it('is refused without crashing the server when it nests as deep as 64 KiB allow', async () => {
		const lists = '['.repeat(30_000) + ']'.repeat(30_000);
		for (const text of [lists, `{"title":"a","payload":{"a":${lists}}}`, `{"title":${lists}}`]) {
			expect((await push(text)).status).toBe(400);
		}
	});

	it.each([
		['a NUL', 'a\u0000b'],
		['a right-to-left mark and a line break', 'a\u200fb\nc'],
	])('carries %s in a text to the phone without harm', async (_what, text) => {
		const { status } = await push({ title: text, message: text, metadata: { text } });
		expect(status).toBe(200);
		const last = (await server.phone.inbox()).at(-1);
		expect(last.push).toMatchObject({ title: text, message: text });
	});

	it('has half an emoji replaced wherever there is one, in what is stored and in what is sent', async () => {
		const half = 'a\ud83d';
		const { body } = await push({
			title: half,
			message: `${half}\udc00\ude00 \\ud83d 🚀`,
			subtitle: half,
			metadata: { [half]: half },
			payload: { [half]: [{ [half]: half }] },
			sound: half,
			actions: [{ ...WEBHOOK, title: half, body: { [half]: half } }],
		});
		expect(body['success']).toBe(true);
		const { push: shown } = (await server.phone.inbox()).at(-1);
		expect(shown).toMatchObject({
			title: 'a\ufffd',
			message: 'a\ud83d\udc00\ufffd \\ud83d 🚀',
			subtitle: 'a\ufffd',
			payload: { 'a\ufffd': [{ 'a\ufffd': 'a\ufffd' }] },
			actions: [{ title: 'a\ufffd' }],
		});
	});

	it.each(ENDPOINTS)('is an object, not null: %s %s', async (method, path) => {
		const { status, body } = await server.call(method, path, 'null');
		expect(status).toBe(400);
		expect(body['message']).toBe('The body must be an object, not null.');
	});

	it.each([
		['tags', { title: 'a', tags: ['a\u0000'] }],
		['channels', { title: 'a', target: { channels: ['ops\u0000'] } }],
	])('is refused when %s hold a NUL', async (_what, body) => {
		expect((await push(body)).status).toBe(400);
	});

	it.each([
		['GET', '/badge'],
		['PUT', '/push-notification'],
		['POST', '/nothing-here'],
		['GET', '/live-activity/stream/deploy'],
	] as const)('is answered in JSON where there is no endpoint: %s %s', async (method, path) => {
		const { status, body, headers } = await server.call(method, path);
		expect(status).toBe(404);
		expect(String(headers['content-type'])).toMatch(/^application\/json/);
		expect(body).toEqual({ error: 'Not Found', message: expect.stringContaining(path) });
	});

	it('leaves the server serving after all of this', async () => {
		expect((await push({ title: 'Still here' })).status).toBe(200);
	});
});

function nested(depth: number): Record<string, unknown> {
	let value: Record<string, unknown> = {};
	for (let level = 0; level < depth; level += 1) value = { a: value };
	return value;
}
