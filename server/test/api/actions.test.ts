import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OPEN_URL, STATES, UNLIMITED, WEBHOOK } from '../support/samples.ts';
import { endActivities, startTestServer, type TestServer } from '../support/server.ts';

type Send = (server: TestServer, action: unknown) => ReturnType<TestServer['call']>;

/** Every place in the API that takes a button, and its path in error messages. */
const PLACES: Array<[string, string, Send]> = [
	[
		'a push',
		'actions[0]',
		(server, action) =>
			server.call('POST', '/push-notification', { title: 'Hello', actions: [action] }),
	],
	[
		'a start',
		'action',
		(server, action) =>
			server.call('POST', '/live-activity/start', { content_state: STATES.alert, action }),
	],
	[
		'a start, second',
		'secondary_action',
		(server, action) =>
			server.call('POST', '/live-activity/start', {
				content_state: STATES.alert,
				secondary_action: action,
			}),
	],
	[
		'a stream',
		'action',
		(server, action) =>
			server.call('PUT', '/live-activity/stream/s', { content_state: STATES.alert, action }),
	],
];

describe.each(PLACES)('a button of %s', (_place, path, send) => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(async () => {
		// Make room for the next start.
		await endActivities(server);
	});
	afterAll(() => server.close());

	it.each<[string, Record<string, unknown>]>([
		['https', OPEN_URL],
		['http', { ...OPEN_URL, url: 'http://192.168.1.10/' }],
		['shortcuts', { ...OPEN_URL, url: 'shortcuts://run-shortcut?name=Lights' }],
		['a scheme in capitals', { ...OPEN_URL, url: 'SHORTCUTS://run-shortcut?name=Lights' }],
	])('opens %s', async (_what, action) => {
		expect((await send(server, action)).status).toBe(200);
	});

	it.each<[string, Record<string, unknown>]>([
		['no method, which is POST', WEBHOOK],
		['POST and a body', { ...WEBHOOK, method: 'POST', body: { run: 7, nested: { a: [1, null] } } }],
		['GET', { ...WEBHOOK, method: 'GET' }],
	])('calls a webhook with %s', async (_what, action) => {
		expect((await send(server, action)).status).toBe(200);
	});

	it.each<[string, Record<string, unknown>, string]>([
		['no title', { ...OPEN_URL, title: undefined }, 'title'],
		['an empty title', { ...OPEN_URL, title: '' }, 'title'],
		['a blank title', { ...OPEN_URL, title: '  ' }, 'title'],
		['no type', { ...OPEN_URL, type: undefined }, 'type'],
		['an unknown type', { ...OPEN_URL, type: 'shortcuts' }, 'type'],
		['no URL', { ...OPEN_URL, url: undefined }, 'url'],
		['an app scheme to open', { ...OPEN_URL, url: 'spotify:track:1' }, 'url'],
		['a script to open', { ...OPEN_URL, url: 'javascript:alert(1)' }, 'url'],
		['a host alone to open', { ...OPEN_URL, url: 'example.com' }, 'url'],
		['an unfinished URL to open', { ...OPEN_URL, url: 'https://' }, 'url'],
		['a method to open with', { ...OPEN_URL, method: 'GET' }, 'method'],
		['a body to open with', { ...OPEN_URL, body: {} }, 'body'],
		['an unknown property', { ...OPEN_URL, icon: 'star' }, 'icon'],
		['a webhook to a shortcut', { ...WEBHOOK, url: 'shortcuts://run-shortcut?name=x' }, 'url'],
		['a webhook by plain http', { ...WEBHOOK, url: 'http://hooks.example.com/a' }, 'url'],
		[
			'a webhook by plain http in capitals',
			{ ...WEBHOOK, url: 'HTTP://hooks.example.com/a' },
			'url',
		],
		['a webhook with PUT', { ...WEBHOOK, method: 'PUT' }, 'method'],
		['a webhook with a lower-case method', { ...WEBHOOK, method: 'post' }, 'method'],
		['a webhook with a text as body', { ...WEBHOOK, body: 'x' }, 'body'],
		['a webhook with a list as body', { ...WEBHOOK, body: [1] }, 'body'],
	])('cannot have %s', async (_what, action, field) => {
		const { status, body } = await send(server, action);
		expect(status).toBe(400);
		expect(body['message']).toContain(`${path}.${field} `);
	});

	it('does not disclose its webhook to the phone', async () => {
		const action = { ...WEBHOOK, method: 'GET', body: { token: 'hidden-token' } };
		expect((await send(server, action)).status).toBe(200);
		const inbox = JSON.stringify(await server.phone.inbox());
		expect(inbox).toContain('"title":"Approve","type":"webhook"');
		for (const secret of ['hooks.example.com', 'secret-path', 'hidden-token', '"method"']) {
			expect(inbox).not.toContain(secret);
			expect(JSON.stringify(await server.phone.snapshot())).not.toContain(secret);
		}
	});

	it('tells the phone what to open', async () => {
		await send(server, OPEN_URL);
		expect(JSON.stringify((await server.phone.inbox()).at(-1))).toContain(JSON.stringify(OPEN_URL));
	});
});

describe('the buttons of a push', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	const push = (actions: unknown[]) =>
		server.call('POST', '/push-notification', { title: 'Hello', actions });

	it('are at most four', async () => {
		expect((await push([OPEN_URL, OPEN_URL, OPEN_URL, WEBHOOK])).status).toBe(200);
		expect((await server.phone.inbox()).at(-1).push.actions).toHaveLength(4);
		const five = await push([OPEN_URL, OPEN_URL, OPEN_URL, OPEN_URL, OPEN_URL]);
		expect(five.status).toBe(400);
		expect(five.body['message']).toMatch(/^actions must have at most 4/);
	});

	it('are left out on the phone when the list is empty', async () => {
		expect((await push([])).status).toBe(200);
		expect((await server.phone.inbox()).at(-1).push).not.toHaveProperty('actions');
	});

	it('are named by their place when they are wrong', async () => {
		const { body } = await push([
			OPEN_URL,
			WEBHOOK,
			{ ...WEBHOOK, url: 'http://hooks.example.com' },
		]);
		expect(body['message']).toContain('actions[2].url ');
		expect(body['message']).not.toContain('actions[1]');
	});
});

describe('webhooks where the server allows private ones', () => {
	it('may use plain http', async () => {
		const server = await startTestServer({ settings: { BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' } });
		const action = { ...WEBHOOK, url: 'http://127.0.0.1:5678/webhook/a' };
		const { status } = await server.call('POST', '/push-notification', {
			title: 'Hello',
			actions: [action],
		});
		await server.close();
		expect(status).toBe(200);
	});
});
