import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/log.ts';
import { createApp } from '../../src/http/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Console, signedIn } from '../console/support/console.ts';
import { STATES } from '../support/samples.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
});
afterEach(() => server.close());

const historyId = ({ headers }: Answer) => headers['beckon-history-id'];
const requestId = ({ headers }: Answer) => headers['x-request-id'];
const entryOf = async (answer: Answer) =>
	(await owner.call('GET', `/history/${String(historyId(answer))}`)).body;

/** Requests that send, each after those before it, with the kind of their entry. */
const SENDING: Array<[string, () => Promise<Answer>, string]> = [
	[
		'POST /push-notification',
		() => server.call('POST', '/push-notification', { title: 'A' }),
		'push',
	],
	[
		'POST /push-notification/repeated',
		() =>
			server.call('POST', '/push-notification/repeated', {
				push: { title: 'A' },
				repeat: { every_minutes: 1, times: 1 },
			}),
		'push',
	],
	['POST /badge', () => server.call('POST', '/badge', { badge: 1 }), 'badge'],
	['PUT /live-activity/stream', () => put(), 'activity'],
	['POST /live-activity/start', () => start(), 'activity'],
];

const put = () =>
	server.call('PUT', '/live-activity/stream/deploy', { content_state: STATES.progress });
const start = () => server.call('POST', '/live-activity/start', { content_state: STATES.progress });

describe('an answer to a request that sends', () => {
	it.each(SENDING)('%s names the entry, which names the request', async (_name, send, kind) => {
		const answer = await send();
		expect(await entryOf(answer)).toMatchObject({
			kind,
			id: historyId(answer),
			request_id: requestId(answer),
			key: { name: 'test' },
		});
	});

	it('names the same entry for every change of an activity', async () => {
		const first = await put();
		const ended = await server.call('DELETE', '/live-activity/stream/deploy');
		expect([historyId(await start()), historyId(ended)]).toEqual([
			expect.not.stringMatching(String(historyId(first))),
			historyId(first),
		]);
		const started = await start();
		const change = { activity_id: historyId(started), content_state: { subtitle: 'B' } };
		expect(historyId(await server.call('POST', '/live-activity/update', change))).toBe(
			historyId(started),
		);
		expect(historyId(await server.call('POST', '/live-activity/end', change))).toBe(
			historyId(started),
		);
		expect(await entryOf(started)).toMatchObject({ request_id: requestId(started) });
	});

	it('names the entry of the first request if it repeats it', async () => {
		const push = () =>
			server.call(
				'POST',
				'/push-notification',
				{ title: 'A' },
				{ headers: { 'idempotency-key': 'a' } },
			);
		const first = await push();
		const again = [await push(), await push()];
		server.clock.advance(60);
		again.push(await push());
		expect(again.map(historyId)).toEqual(Array(3).fill(historyId(first)));
		expect(again.map(({ headers }) => headers['beckon-idempotency'])).toEqual(
			Array(3).fill('replayed'),
		);
	});

	it('names no entry where there is none', async () => {
		await put();
		await owner.call('POST', '/streams/deploy/pause');
		const answers = [
			await put(),
			await server.call('POST', '/push-notification', {}),
			await server.call('GET', '/channels'),
		];
		expect(answers.map(historyId)).toEqual([undefined, undefined, undefined]);
	});

	it('names the entry to pages of other origins, and in the Playground', async () => {
		const { headers } = await server.call('OPTIONS', '/push-notification', undefined, {
			headers: { origin: 'https://example.com' },
		});
		const push = await server.call(
			'POST',
			'/push-notification',
			{ title: 'A' },
			{
				headers: { origin: 'https://example.com' },
			},
		);
		expect(push.headers['access-control-expose-headers']).toContain('Beckon-History-Id');
		expect(headers['access-control-allow-origin']).toBe('*');
		const sent = await owner.call('POST', '/playground/send', {
			request: 'push',
			body: { title: 'B' },
		});
		expect(await entryOf(sent)).toMatchObject({
			title: 'B',
			key: null,
			request_id: requestId(sent),
		});
	});
});

describe('the log at its level debug', () => {
	it('has accepted and refused requests with their ids, and no content', async () => {
		const lines: string[] = [];
		const logger = createLogger(
			{ BECKON_LOG_LEVEL: 'debug' },
			{ write: (line) => void lines.push(line) },
		);
		const app = await createApp(server.context, readConfig({}), logger);
		const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
		const ask = (body: object, headers: object = {}) =>
			app.inject({
				method: 'POST',
				url: '/api/push-notification',
				headers: { authorization: `Bearer ${server.account.key}`, ...headers },
				payload: body,
			});
		const accepted = await ask({ title: 'Private words' }, { traceparent });
		const refused = await ask({
			title: 'Private words',
			target: { channels: ['private-channel'] },
		});
		await ask(
			{ title: 'Private words' },
			{ authorization: 'Bearer bk_wrong', traceparent: 'Private words' },
		);
		await app.close();
		const logged = lines
			.map((line) => JSON.parse(line))
			.filter(({ msg }) => /^(accepted|refused)$/.test(msg));
		expect(logged).toMatchObject([
			{
				msg: 'accepted',
				request_id: accepted.headers['x-request-id'],
				history: accepted.headers['beckon-history-id'],
				traceparent,
				key: expect.stringMatching(/^key_/),
				req: { route: '/api/push-notification' },
				res: { status: 200 },
			},
			{
				msg: 'refused',
				request_id: refused.headers['x-request-id'],
				error: 'Invalid channel targeting',
				res: { status: 400 },
			},
			{ msg: 'refused', error: 'Unauthorized', res: { status: 401 } },
		]);
		expect(lines.join('')).not.toMatch(/Private words|private-channel|bk_[\w-]/);
	});
});
