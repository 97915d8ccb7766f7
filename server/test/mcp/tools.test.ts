import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { PUBLIC_CALLS } from '../../src/contract/public-calls.ts';
import { TOOLS } from '../../src/http/mcp/tools.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { connectClient, type Mode, REVISIONS } from './support/client.ts';

let server: TestServer;
let url: string;
let opened: Client[] = [];

/** A client that is closed at the end. */
async function connect(key: string, mode: Mode = 'auto'): Promise<Client> {
	const client = await connectClient(url, key, mode);
	opened.push(client);
	return client;
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
	fetch(`${url}/mcp`, {
		method: 'POST',
		body: JSON.stringify(body),
		headers: {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...headers,
		},
	});

/** Of the timers that jest fakes. */
const ALL_BUT_INTERVALS = [
	...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
	...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

beforeAll(async () => {
	server = await startTestServer();
	url = await server.app.listen({ host: '127.0.0.1', port: 0 });
	await server.addChannel('ops', { users: ['owner'] });
	await server.addChannel('sales');
	await server.addMetric({ key: 'cpu', name: 'CPU' });
});

afterAll(async () => {
	await Promise.all(opened.map((client) => client.close()));
	opened = [];
	await server.close();
});

describe.each(REVISIONS)('the tools for agents, in revision %s', (revision, mode) => {
	const connect = async (key: string) => {
		const client = await connectClient(url, key, mode);
		opened.push(client);
		return client;
	};

	it('are all that a client is promised', async () => {
		const client = await connect(server.account.key);
		expect(client.getNegotiatedProtocolVersion()).toBe(revision);
		expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
		expect(client.getServerVersion()).toMatchObject({ name: 'beckon', title: 'Beckon' });
	});

	it('are the calls of the API, with their names, and the schemas of their bodies', async () => {
		const { tools } = await (await connect(server.account.key)).listTools();
		expect(tools.map(({ name }) => name)).toEqual([
			'send_push',
			'update_live_activity',
			'end_live_activity',
			'set_metric',
			'set_badge',
			'ask',
			'wait_for_answer',
			'withdraw_question',
			'list_questions',
			'list_channels',
		]);
		expect(tools.map(({ title }) => title)).toEqual(
			TOOLS.map(({ call }) => PUBLIC_CALLS[call].summary),
		);
		const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
		expect(schemaOf('send_push')).toMatchObject({
			required: ['title'],
			properties: { title: { type: 'string', description: 'First line of the notification.' } },
		});
		expect(schemaOf('set_metric')?.required).toEqual(['key', 'value']);
		expect(schemaOf('end_live_activity')?.required).toEqual(['stream_key']);
	});

	it('send, and the result is the answer of the API', async () => {
		const client = await connect(server.account.key);
		const result = await client.callTool({
			name: 'send_push',
			arguments: { title: 'From an agent', target: { channels: ['ops'] } },
		});
		expect(result.structuredContent).toMatchObject({
			success: true,
			effective_channel_slugs: ['ops'],
		});
		expect((await server.phone.inbox()).at(-1)).toMatchObject({ push: { title: 'From an agent' } });
	});

	it('start and end Live Activities, and set metrics and the badge', async () => {
		const client = await connect(server.account.key);
		const call = async (name: string, given: Record<string, unknown>) =>
			(await client.callTool({ name, arguments: given })).structuredContent;
		const state = { type: 'progress', title: 'Build', percentage: 10 };
		expect(
			await call('update_live_activity', { stream_key: 'build', content_state: state }),
		).toMatchObject({ operation: 'started' });
		expect(await call('end_live_activity', { stream_key: 'build' })).toMatchObject({
			operation: 'ended',
		});
		expect(await call('set_metric', { key: 'cpu', value: 40 })).toEqual({ success: true });
		expect(await call('set_badge', { badge: 2 })).toMatchObject({ badge: 2 });
	});

	it('have the scope of the key', async () => {
		const client = await connect(await server.addKey(server.account.id, ['sales']));
		const { structuredContent } = await client.callTool({ name: 'list_channels', arguments: {} });
		expect(structuredContent).toMatchObject({ channels: [{ slug: 'sales' }] });
		const refused = await client.callTool({
			name: 'send_push',
			arguments: { title: 'Too far', target: { channels: ['ops'] } },
		});
		expect(refused).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('channels') }],
		});
	});

	it('say what is wrong with an argument, so that the model can correct it', async () => {
		const client = await connect(server.account.key);
		const refused = await client.callTool({ name: 'send_push', arguments: { titel: 'Oops' } });
		expect(refused.isError).toBe(true);
		expect(JSON.stringify(refused.content)).toContain('titel');
		const long = await client.callTool({
			name: 'send_push',
			arguments: { title: 'x'.repeat(256) },
		});
		expect(long).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('1 to 255 characters') }],
		});
		const unknown = await client.callTool({ name: 'send_fax', arguments: {} });
		expect(unknown.isError).toBe(true);
	});

	it.each(TOOLS.map(({ name }) => name))(
		'refuse what is not a text in any place of %s, as a result',
		async (name) => {
			const client = await connect(server.account.key);
			const { tools } = await client.listTools();
			const { properties = {} } = tools.find((tool) => tool.name === name)!.inputSchema;
			for (const property of Object.keys(properties)) {
				const wrong = { [property]: { toString: 1 } };
				expect(await client.callTool({ name, arguments: wrong })).toMatchObject({ isError: true });
			}
		},
	);

	it('use the allowance of the calls they make', async () => {
		const { headers } = await server.call('POST', '/push-notification', { title: 'Counted' });
		const left = /"account:notifications";r=(\d+)/.exec(String(headers['ratelimit']))?.[1];
		await (
			await connect(server.account.key)
		).callTool({
			name: 'send_push',
			arguments: { title: 'Counted too' },
		});
		const after = await server.call('POST', '/push-notification', { title: 'Counted' });
		expect(String(after.headers['ratelimit'])).toContain(
			`"account:notifications";r=${Number(left) - 2}`,
		);
	});
});

describe('sessions of agents', () => {
	it('begin without the account’s allowance, which tool calls use', async () => {
		const own = await startTestServer({ settings: { BECKON_RATE_MCP: '2' } });
		const address = await own.app.listen({ host: '127.0.0.1', port: 0 });
		const usual = url;
		url = address;
		try {
			const clients: Client[] = [];
			for (let n = 0; n < 5; n += 1) clients.push(await connect(own.account.key));
			for (const client of clients) {
				await client.discover();
				await client.listTools();
			}
			const send = (client: Client) =>
				client.callTool({ name: 'send_push', arguments: { title: 'Counted' } });
			expect((await send(clients[0]!)).isError).toBeFalsy();
			expect((await send(clients[1]!)).isError).toBeFalsy();
			await expect(send(clients[2]!)).rejects.toThrow('account:mcp exceeded');
			await clients[2]!.listTools();
			const { headers, status } = await own.call('GET', '/channels');
			expect(status).toBe(200);
			expect(headers['ratelimit']).toContain('"account:lists";r=59');
			await Promise.all(clients.map((client) => client.close()));
		} finally {
			url = usual;
			await own.close();
		}
	});

	it('use the allowance of their address', async () => {
		const own = await startTestServer({ settings: { BECKON_RATE_PER_ADDRESS: '3' } });
		const send = (method: string) =>
			own.app.inject({
				method: 'POST',
				url: '/mcp',
				headers: {
					authorization: `Bearer ${own.account.key}`,
					accept: 'application/json, text/event-stream',
				},
				payload: { jsonrpc: '2.0', id: 1, method },
			});
		const statuses = [];
		for (const method of ['ping', 'tools/list', 'ping', 'ping'])
			statuses.push((await send(method)).statusCode);
		expect(statuses).toEqual([200, 200, 200, 429]);
		await own.close();
	});
});

describe('a question of an agent', () => {
	const CHOICES = [
		{ id: 'yes', title: 'Yes' },
		{ id: 'no', title: 'No' },
	];

	/** Calls a tool with what it needs, and the state of the question that it returns. */
	async function state(name: string, given: Record<string, unknown>): Promise<any> {
		const client = await connect(server.account.key);
		return (await client.callTool({ name, arguments: given })).structuredContent;
	}

	async function openQuestion(title: string): Promise<{ question_id: string }> {
		const push = await waitFor('the question', async () => {
			const { questions } = await server.phone.snapshot();
			return questions.map((shown: any) => shown.push).find((shown: any) => shown.title === title);
		});
		return push.question;
	}

	it('is answered as soon as somebody answers', async () => {
		const asked = state('ask', { title: 'Deploy?', choices: CHOICES });
		const { question_id: id } = await openQuestion('Deploy?');
		await server.phone.call('POST', `/questions/${id}/answer`, {
			tap_id: '00000000-0000-4000-8000-000000000001',
			choice: 'yes',
		});
		expect(await asked).toMatchObject({
			question_id: id,
			status: 'answered',
			answer: { choice: 'yes', by: { user: 'owner' } },
		});
	});

	it('is listed while it is open, for the key that asked', async () => {
		const asked = state('ask', { title: 'Listed?', choices: CHOICES });
		const { question_id } = await openQuestion('Listed?');
		expect((await state('list_questions', {})).questions).toEqual([
			expect.objectContaining({ question_id, title: 'Listed?', status: 'open' }),
		]);
		const other = await connect(await server.addKey(server.account.id));
		const { structuredContent } = await other.callTool({ name: 'list_questions', arguments: {} });
		expect(structuredContent).toMatchObject({ questions: [] });
		await state('withdraw_question', { question_id });
		expect(await asked).toMatchObject({ question_id, status: 'withdrawn' });
		expect(await state('list_questions', {})).toMatchObject({ questions: [] });
	});

	it.each(REVISIONS)('lets those who wait know that it goes on, in %s', async (_name, mode) => {
		jest.useFakeTimers({ doNotFake: ALL_BUT_INTERVALS });
		try {
			const client = await connect(server.account.key, mode);
			const seen: Progress[] = [];
			const asked = client.callTool(
				{ name: 'ask', arguments: { title: `Slow in ${mode}?`, choices: CHOICES } },
				{ onprogress: (progress) => seen.push(progress) },
			);
			const { question_id } = await openQuestion(`Slow in ${mode}?`);
			await waitFor('the first report', () => seen.length === 1);
			jest.advanceTimersByTime(5_000);
			await waitFor('the second', () => seen.length === 2);
			const reported = { total: 45, message: 'Waiting for an answer.' };
			expect(seen).toEqual([
				{ progress: 0, ...reported },
				{ progress: 5, ...reported },
			]);
			await state('withdraw_question', { question_id });
			expect((await asked).structuredContent).toMatchObject({ status: 'withdrawn' });
			expect(jest.getTimerCount()).toBe(0);
		} finally {
			jest.useRealTimers();
		}
	});

	it('can be waited for again, and withdrawn', async () => {
		const asked = await server.call('POST', '/questions', { title: 'Still?', choices: CHOICES });
		const { question_id } = asked.body;
		const waited = state('wait_for_answer', { question_id });
		expect(await state('withdraw_question', { question_id })).toMatchObject({
			status: 'withdrawn',
		});
		expect(await waited).toMatchObject({ status: 'withdrawn' });
	});
});

describe('the address for agents', () => {
	it('keeps nothing between two messages, so another server may answer the next', async () => {
		const answer = await post(LIST, { authorization: `Bearer ${server.account.key}` });
		expect(answer.status).toBe(200);
		expect(answer.headers.get('mcp-session-id')).toBeNull();
	});

	it.each(['*/*', 'application/json', 'application/json, text/event-stream', 'text/event-stream'])(
		'answers with JSON if the client sends Accept: %s, whatever it asks for',
		async (accept) => {
			const authorization = `Bearer ${server.account.key}`;
			const answer = await post(LIST, { authorization, accept });
			expect([answer.status, answer.headers.get('content-type')]).toEqual([
				200,
				'application/json',
			]);
			expect(await answer.json()).toMatchObject({ result: { tools: expect.any(Array) } });
		},
	);

	it.each([
		['*/*', 'application/json'],
		['application/json', 'application/json'],
		['application/json, text/event-stream', 'text/event-stream'],
	])('reports progress only to clients that take events: Accept: %s', async (accept, type) => {
		const { body } = await server.call('POST', '/questions', {
			title: 'Reported?',
			text: {},
		});
		const call = post(
			{
				...LIST,
				method: 'tools/call',
				params: {
					name: 'wait_for_answer',
					arguments: { question_id: body['question_id'] },
					_meta: { progressToken: 0 },
				},
			},
			{ authorization: `Bearer ${server.account.key}`, accept },
		);
		await waitFor('the wait', () => server.context.questionWaits.size === 1);
		await server.call('DELETE', `/questions/${body['question_id']}`);
		const answer = await call;
		expect(answer.headers.get('content-type')).toBe(type);
		const text = await answer.text();
		expect(text.includes('notifications/progress')).toBe(type === 'text/event-stream');
		expect(text).toContain('withdrawn');
	});

	it('refuses several messages in one request', async () => {
		const answer = await post([LIST], { authorization: `Bearer ${server.account.key}` });
		expect(answer.status).toBe(400);
	});

	it('needs an API key', async () => {
		const answer = await post(LIST);
		expect(answer.status).toBe(401);
		expect(await answer.json()).toMatchObject({ error: 'Unauthorized' });
	});

	it('refuses pages of other sites', async () => {
		const headers = {
			authorization: `Bearer ${server.account.key}`,
			origin: 'https://elsewhere.example',
		};
		expect((await post(LIST, headers)).status).toBe(403);
	});

	it('has no stream of its own', async () => {
		const answer = await fetch(`${url}/mcp`, {
			headers: { authorization: `Bearer ${server.account.key}`, accept: 'text/event-stream' },
		});
		expect(answer.status).toBe(405);
		expect(answer.headers.get('allow')).toBe('POST');
	});

	it('can be turned off', async () => {
		const other = await startTestServer({ settings: { BECKON_MCP: 'false' } });
		const { statusCode } = await other.app.inject({ method: 'POST', url: '/mcp', payload: LIST });
		expect(statusCode).toBe(404);
		await other.close();
	});
});
