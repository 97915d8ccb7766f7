import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';

/** An agent tries to answer for a person, to leave questions open, and to end questions of others. */

const CHOICES = [
	{ id: 'yes', title: 'Yes' },
	{ id: 'no', title: 'No' },
];

let server: TestServer;
let url: string;
/** Limited to the channel of the person's phone. */
let limited: string;

beforeAll(async () => {
	server = await startTestServer({ settings: { ...UNLIMITED, BECKON_RATE_MCP: '1000000' } });
	url = await server.app.listen({ host: '127.0.0.1', port: 0 });
	await server.addChannel('ops', { users: ['owner'] });
	limited = await server.addKey(server.account.id, ['ops']);
});
afterEach(async () => {
	for (const { question_id: id } of await openOnes())
		await server.call('DELETE', `/questions/${id}`);
	await waitFor('all waits to end', () => server.context.questionWaits.size === 0);
});
afterAll(() => server.close());

const openOnes = async (): Promise<any[]> =>
	(await server.phone.snapshot()).questions
		.map(({ push: { question } }: any) => question)
		.filter(({ status }: any) => status === 'open');
const onlyOpen = () =>
	waitFor('the question', async () => {
		const open = await openOnes();
		return open.length === 1 && String(open[0].question_id);
	});
const ask = async () =>
	String(
		(await server.call('POST', '/questions', { title: 'Asked', choices: CHOICES })).body[
			'question_id'
		],
	);
const tap = (id: string, choice: string) =>
	server.phone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice });
const statusOf = async (id: string) =>
	(await server.call('GET', `/questions/${id}`)).body['status'];

/** For which a call that says so by itself would wait. */
const WAIT_MS = 50_000;

/** A call of a tool. */
async function call(
	name: string,
	given: object,
	{ by = server.account.key, headers = {}, id = 'call-0' } = {},
): Promise<any> {
	const params = { name, arguments: given };
	const { body } = await message({ id, method: 'tools/call', params }, { by, headers });
	return body.result;
}

function message(sent: object, { by = server.account.key, headers = {} } = {}) {
	const accept = 'application/json, text/event-stream';
	const body = { jsonrpc: '2.0', ...sent };
	return send(server, '/mcp', { key: by, body, headers: { accept, ...headers } });
}

describe('an agent answers its own question', () => {
	it.each([
		['as a text', '{"after_seconds":30,"choice":"yes"}'],
		['in a list', [{ after_seconds: 30, choice: 'yes' }]],
		['by an empty choice', { after_seconds: 30, choice: '' }],
		['by no choice', { after_seconds: 30, choice: null }],
		['by what it inherits', { after_seconds: 30, constructor: { choice: 'yes' } }],
	])('with a deadline given %s', async (_how, deadline) => {
		const asked = { title: 'Deploy?', choices: CHOICES, deadline };
		expect(await call('ask', asked)).toMatchObject({ isError: true });
		expect(await openOnes()).toEqual([]);
	});

	it('with a form: that is no choice, and no person’s', async () => {
		const link = { title: 'Form', url: 'https://example.com/' };
		const asking = call('ask', { title: 'Form?', choices: CHOICES, link });
		const id = await onlyOpen();
		await server.call('POST', `/questions/${id}/answer`, { fields: { choice: 'yes' } });
		const { answer } = (await asking).structuredContent;
		expect(answer).toMatchObject({ by: 'form' });
		expect(answer).not.toHaveProperty('choice');
	});

	it.each([
		['withdraw_question', 'question_id', '/answer'],
		['withdraw_question', 'question_id', '?x=/answer'],
		['wait_for_answer', 'question_id', '/../../channels'],
		['wait_for_answer', 'question_id', '%2f..%2f..%2fchannels'],
		['end_live_activity', 'stream_key', '/../../../questions'],
		['set_metric', 'key', '/../../questions'],
	])('by a path in %s: %s', async (tool, parameter, path) => {
		const id = await ask();
		const given = { [parameter]: `${id}${path}`, value: 1, content_state: {} };
		expect(await call(tool, given)).toMatchObject({ isError: true });
		expect(await statusOf(id)).toBe('open');
	});

	it('or ends, or reads, that of another key', async () => {
		const id = await ask();
		for (const tool of ['wait_for_answer', 'withdraw_question'])
			expect(await call(tool, { question_id: id }, { by: limited })).toMatchObject({
				isError: true,
				content: [{ text: expect.not.stringContaining('Asked') }],
			});
		expect(await statusOf(id)).toBe('open');
	});
});

describe('a question of a tool outlives its client', () => {
	const session = { 'mcp-session-id': 'session-1' };
	const cancel = (by: string, headers: Record<string, string> = session) =>
		message(
			{ method: 'notifications/cancelled', params: { requestId: 'call-1' } },
			{ by, headers },
		);

	it('that says by itself how long it waits, and hangs up', async () => {
		const id = await ask();
		const request = openRequest(`${url}/mcp`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${server.account.key}`,
				accept: 'application/json, text/event-stream',
				'content-type': 'application/json',
			},
		});
		const params = {
			name: 'wait_for_answer',
			arguments: { question_id: id, wait: WAIT_MS / 1_000 },
		};
		const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
		request.on('error', () => undefined).end(JSON.stringify(sent));
		await waitFor('the wait', () => server.context.questionWaits.size === 1);
		request.destroy();
		await waitFor('its end', () => server.context.questionWaits.size === 0, WAIT_MS);
		await waitFor('the withdrawal', async () => (await statusOf(id)) === 'withdrawn');
	});

	it('or is ended by another key, or another session', async () => {
		const asking = call(
			'ask',
			{ title: 'Whose?', choices: CHOICES },
			{ id: 'call-1', headers: session },
		);
		await waitFor('the wait', () => server.context.questionWaits.size === 1);
		await cancel(limited);
		await cancel(server.account.key, { 'mcp-session-id': 'session-2' });
		await cancel(server.account.key, {});
		const id = await onlyOpen();
		await tap(id, 'no');
		expect((await asking).structuredContent).toMatchObject({ answer: { choice: 'no' } });
	});

	it('that cancels when it has been answered changes nothing', async () => {
		const headers = { 'mcp-session-id': 'session-3' };
		const asking = call('ask', { title: 'Late?', choices: CHOICES }, { id: 'call-1', headers });
		const id = await onlyOpen();
		await tap(id, 'yes');
		await within('the answer', asking);
		await cancel(server.account.key, headers);
		expect(await statusOf(id)).toBe('answered');
	});
});
