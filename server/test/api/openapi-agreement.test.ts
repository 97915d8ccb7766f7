import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ValidateFunction } from 'ajv';
import { ajvOf, compilePointer, type OpenApi, readOpenApi } from '../support/openapi.ts';
import { emojis, OPEN_URL, STATES, UNLIMITED, WEBHOOK } from '../support/samples.ts';
import { endActivities, type Method, startTestServer, type TestServer } from '../support/server.ts';

type Body = unknown;
type Case = [string, Method, string, Body];

const PUSH = '/push-notification';
const START = '/live-activity/start';
const STREAM = '/live-activity/stream/{stream_key}';
const METRIC = '/metrics/{key}/value';

const push = (name: string, fields: Record<string, unknown>): Case => [
	name,
	'POST',
	PUSH,
	{ title: 'Hello', ...fields },
];
const start = (
	name: string,
	fields: Record<string, unknown>,
	more: Record<string, unknown> = {},
): Case => [name, 'POST', START, { content_state: fields, ...more }];
const put = (name: string, body: Record<string, unknown>): Case => [name, 'PUT', STREAM, body];
const byId = (verb: string, name: string, body: Record<string, unknown>): Case => [
	name,
	'POST',
	`/live-activity/${verb}`,
	{ activity_id: 'running', ...body },
];

/** Accepted by both the document and the server. */
const TAKEN: Case[] = [
	['badge 0', 'POST', '/badge', { badge: 0 }],
	['the largest badge', 'POST', '/badge', { badge: 2_147_483_647 }],
	['a badge for a channel', 'POST', '/badge', { badge: 1, target: { channels: ['ops'] } }],
	push('a title of 255 emojis', { title: emojis(255) }),
	push('a message of 16,000 emojis', { message: emojis(16_000) }),
	push('everything', {
		subtitle: 's',
		message: 'm',
		icon: 'https://example.com/i.png',
		interruption_level: 'critical',
		redirection: 'shortcuts://run-shortcut?name=Lights',
		actions: [OPEN_URL, { ...WEBHOOK, method: 'GET', body: { a: [1] } }],
		payload: { a: { b: null } },
		badge: 1,
		sound: 'none',
		tags: ['a:b_c.d-e'],
		metadata: { a: 'x', b: 1, c: true, d: null },
	}),
	push('metadata of 512 emojis', { metadata: { [emojis(64)]: emojis(512) } }),
	push('no tags', { tags: [] }),
	...Object.values(STATES).map((state) => start(`${String(state['type'])} at its least`, state)),
	start('a bare symbol', { ...STATES.value, icon: 'star', badge: { title: 'b', color: 'red' } }),
	start('a value of progress', { type: 'progress', title: 't', value: 1, upper_limit: 2 }),
	start('buttons and alert', STATES.alert, {
		action: OPEN_URL,
		secondary_action: WEBHOOK,
		alert: { body: 'b' },
	}),
	put('channels', { content_state: STATES.alert, channels: ['ops'] }),
	put('seconds to dismiss', { content_state: { ...STATES.timer, auto_dismiss_seconds: 0 } }),
	put('a change without type', { content_state: { percentage: 2 } }),
	['no state to end with', 'DELETE', STREAM, {}],
	[
		'a last state',
		'DELETE',
		STREAM,
		{ content_state: { percentage: 100, auto_dismiss_minutes: 3 }, tags: [] },
	],
	byId('update', 'a change', { content_state: { percentage: 3 } }),
	byId('end', 'a change', { content_state: { percentage: 3, auto_dismiss_minutes: 500 } }),
	['a number', 'POST', METRIC, { value: -1.5 }],
	[
		'64 emojis and a time',
		'POST',
		METRIC,
		{ value: emojis(64), timestamp: '2026-03-01T11:00:00+01:00' },
	],
];

/** Refused by both. */
const REFUSED: Case[] = [
	['no badge', 'POST', '/badge', {}],
	['a negative badge', 'POST', '/badge', { badge: -1 }],
	['a badge too large', 'POST', '/badge', { badge: 2_147_483_648 }],
	['half a badge', 'POST', '/badge', { badge: 0.5 }],
	['a badge as text', 'POST', '/badge', { badge: '1' }],
	['no channels', 'POST', '/badge', { badge: 1, target: { channels: [] } }],
	['a channel twice', 'POST', '/badge', { badge: 1, target: { channels: ['ops', 'ops'] } }],
	['a channel in capitals', 'POST', '/badge', { badge: 1, target: { channels: ['OPS'] } }],
	['a list', 'POST', '/badge', []],
	push('no title', { title: undefined }),
	push('an empty title', { title: '' }),
	push('a title of 256 emojis', { title: emojis(256) }),
	push('a message of 16,001 characters', { message: 'm'.repeat(16_001) }),
	push('an icon by http', { icon: 'http://example.com/i.png' }),
	push('a redirection without scheme', { redirection: '/orders' }),
	push('an unknown level', { interruption_level: 'loud' }),
	push('five actions', { actions: Array(5).fill(OPEN_URL) }),
	push('an action of unknown type', { actions: [{ ...OPEN_URL, type: 'x' }] }),
	push('a method to open with', { actions: [{ ...OPEN_URL, method: 'GET' }] }),
	push('a webhook by PUT', { actions: [{ ...WEBHOOK, method: 'PUT' }] }),
	push('a payload that is a list', { payload: [] }),
	push('metadata of objects', { metadata: { a: {} } }),
	push('metadata of 513 characters', { metadata: { a: 'x'.repeat(513) } }),
	push('metadata of 51 entries', {
		metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, at])),
	}),
	push('metadata with an empty name', { metadata: { '': 1 } }),
	push('a tag in capitals', { tags: ['A'] }),
	push('a tag twice', { tags: ['a', 'a'] }),
	push('twenty-one tags', { tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }),
	push('an unknown property', { surprise: 1 }),
	['no state', 'POST', START, {}],
	start('no type', { title: 't' }),
	start('an unknown type', { type: 'gauge', title: 't' }),
	start('a field of another type', { ...STATES.alert, percentage: 1 }),
	start('no message', { type: 'alert', title: 't' }),
	start('progress above 100', { ...STATES.progress, percentage: 101 }),
	start('no steps', { ...STATES.segmented_progress, number_of_steps: 0 }),
	start('nine metrics', { ...STATES.metrics, metrics: Array(9).fill({ label: 'a', value: 1 }) }),
	start('a negative metric', { ...STATES.metrics, metrics: [{ label: 'a', value: -1 }] }),
	start('a timer of 0 seconds', { ...STATES.timer, duration_seconds: 0 }),
	start('an unknown color', { ...STATES.alert, color: 'pink' }),
	start('a time to dismiss', { ...STATES.alert, auto_dismiss_minutes: 1 }),
	put('no state', {}),
	put('channels that are empty', { content_state: STATES.alert, channels: [] }),
	put('half a minute to dismiss', {
		content_state: { ...STATES.alert, auto_dismiss_minutes: 0.5 },
	}),
	['a target to end with', 'DELETE', STREAM, { target: { channels: ['ops'] } }],
	byId('update', 'no state', {}),
	byId('update', 'no id', { activity_id: undefined, content_state: {} }),
	byId('update', 'an alert', { content_state: {}, alert: {} }),
	byId('update', 'a time to dismiss', { content_state: { auto_dismiss_minutes: 1 } }),
	byId('end', 'seconds to dismiss', { content_state: { auto_dismiss_seconds: 1 } }),
	['no value', 'POST', METRIC, {}],
	['an empty value', 'POST', METRIC, { value: '' }],
	['a value of 65 characters', 'POST', METRIC, { value: 'x'.repeat(65) }],
	['a value that is true', 'POST', METRIC, { value: true }],
	['a time without offset', 'POST', METRIC, { value: 1, timestamp: '2026-03-01T11:00:00' }],
];

/** Rules between fields or about a text's meaning: only the server's, as a schema cannot express them. */
const REFUSED_BY_THE_SERVER: Case[] = [
	push('a blank title', { title: ' ' }),
	push('media and actions', { media: 'https://example.com/a.png', actions: [OPEN_URL] }),
	push('a blocked scheme', { redirection: 'javascript:alert(1)' }),
	push('a user in an icon', { icon: 'https://user@example.com/i.png' }),
	push('a payload above 2 KiB', { payload: { a: 'x'.repeat(2048) } }),
	push('a scheme that a button may not open', {
		actions: [{ ...OPEN_URL, url: 'ftp://example.com' }],
	}),
	start('a step after the last', { ...STATES.segmented_progress, current_step: 9 }),
	start('progress without either', { type: 'progress', title: 't' }),
	start('a timer from nothing', { type: 'timer', title: 't' }),
	start('a second button for a timer', STATES.timer, { secondary_action: OPEN_URL }),
	put('channels that differ', {
		content_state: STATES.alert,
		channels: ['ops'],
		target: { channels: ['dev'] },
	}),
];

describe('the published OpenAPI and the server', () => {
	let server: TestServer;
	let document: OpenApi;
	const validators = new Map<string, ValidateFunction>();

	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { users: ['owner'] });
		await server.addMetric({ key: 'cpu', name: 'CPU' });
		document = await readOpenApi(server.app);
	});
	afterEach(async () => {
		await endActivities(server);
	});
	afterAll(() => server.close());

	const documentTakes = (method: Method, path: string, body: Body): boolean => {
		const name = `${method} ${path}`;
		const pointer = [
			'paths',
			path,
			method.toLowerCase(),
			'requestBody',
			'content',
			'application/json',
			'schema',
		];
		const validate = validators.get(name) ?? compilePointer(ajvOf(document), pointer);
		validators.set(name, validate);
		// As sent: without undefined properties.
		return validate(JSON.parse(JSON.stringify(body)));
	};

	const serverStatus = async (method: Method, path: string, body: Body): Promise<number> => {
		const url = path.replace('{stream_key}', 's').replace('{key}', 'cpu');
		const fields = body as { activity_id?: string; content_state?: { type?: string } };
		if (path === STREAM && !fields.content_state?.type) {
			await server.call('PUT', '/live-activity/stream/s', { content_state: STATES.progress });
		}
		if (fields.activity_id === 'running') {
			const { body: started } = await server.call('POST', START, {
				content_state: STATES.progress,
			});
			return (await server.call(method, url, { ...fields, activity_id: started['activity_id'] }))
				.status;
		}
		return (await server.call(method, url, body)).status;
	};

	it.each(TAKEN)('both take %s (%s %s)', async (_name, method, path, body) => {
		expect(documentTakes(method, path, body)).toBe(true);
		expect(await serverStatus(method, path, body)).toBe(200);
	});

	it.each(REFUSED)('both refuse %s (%s %s)', async (_name, method, path, body) => {
		expect(documentTakes(method, path, body)).toBe(false);
		expect(await serverStatus(method, path, body)).toBe(400);
	});

	it.each(REFUSED_BY_THE_SERVER)(
		'leave it to the server to refuse %s (%s %s)',
		async (_name, method, path, body) => {
			expect(documentTakes(method, path, body)).toBe(true);
			expect(await serverStatus(method, path, body)).toBe(400);
		},
	);

	it.each<[string, string[], string[]]>([
		[STREAM, ['a', 'A-Z_09', 'k'.repeat(255)], ['', 'a.b', 'a b', 'k'.repeat(256)]],
		[METRIC, ['a', '0_.-', 'k'.repeat(64)], ['', 'A', '-a', 'k'.repeat(65)]],
	])('describe the key in %s', (path, taken, refused) => {
		const [operation] = Object.entries(document.paths[path] ?? {}).find(([method]) =>
			['put', 'post'].includes(method),
		)!;
		const validate = compilePointer(ajvOf(document), [
			'paths',
			path,
			operation,
			'parameters',
			'0',
			'schema',
		]);
		expect(taken.map((key) => validate(key))).toEqual(taken.map(() => true));
		expect(refused.map((key) => validate(key))).toEqual(refused.map(() => false));
	});
});
