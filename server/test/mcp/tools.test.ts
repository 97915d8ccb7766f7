import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOLS } from '../../src/http/mcp/tools.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

let server: TestServer;
let url: string;
let opened: Client[] = [];

/** A client as agents have it, of the library that most of them use. */
async function connect(key: string, headers: Record<string, string> = {}): Promise<Client> {
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(
		new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
			requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
		}),
	);
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

describe('the tools for agents', () => {
	it('are the calls of the API, with the schemas of their bodies', async () => {
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
			'list_channels',
		]);
		const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
		expect(schemaOf('send_push')).toMatchObject({
			required: ['title'],
			properties: { title: { type: 'string', maxLength: 255 } },
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
		const { structuredContent } = await client.callTool({ name: 'list_channels' });
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
				await client.ping();
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
