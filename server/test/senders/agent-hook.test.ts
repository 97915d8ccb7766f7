import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withdrawInConsole } from '../../src/service/questions/console.ts';
import { settleDueQuestions } from '../../src/service/questions/due.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { newest, send } from './support/send.ts';

/** As recorded from Claude Code 2.1.197. */
const CLAUDE_CODE = {
	session_id: '7590018e-17ed-4ade-96ab-62191ec25a70',
	transcript_path: '/home/ada/.claude/projects/-home-ada-shop/7590018e.jsonl',
	cwd: '/home/ada/shop',
	prompt_id: 'eb7a6ce9-ac77-45db-bd20-e0dbcc05b756',
	permission_mode: 'default',
	effort: { level: 'high' },
	hook_event_name: 'PermissionRequest',
	tool_name: 'Bash',
	tool_input: { command: 'touch made-by-agent', description: 'Make a file' },
	permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
};

/** By the schema that Codex publishes for the input of its command hooks. */
const CODEX = {
	session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53',
	turn_id: 'turn-1',
	transcript_path: null,
	cwd: '/home/ada/shop',
	hook_event_name: 'PermissionRequest',
	model: 'gpt-5-codex',
	permission_mode: 'default',
	tool_name: 'Bash',
	tool_input: { command: 'npm publish' },
};

const decided = (decision: object) => ({
	hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
});

let server: TestServer;
let key: string;
beforeEach(async () => {
	server = await startTestServer({ settings: UNLIMITED });
	await server.addChannel('ops', { users: ['owner'] });
	key = await server.addSenderKey(['ops']);
});
afterEach(() => server.close());

const ask = (body: object = CLAUDE_CODE) => send(server, '/agent-hook', { key, body });
const questions = async () =>
	(await server.phone.snapshot()).questions.map(({ push }: any) => push);
const asked = () => waitFor('the question', async () => (await questions())[0]);
const answer = async (choice: string) => {
	const { question } = await asked();
	const body = { tap_id: randomUUID(), choice };
	return server.phone.call('POST', `/questions/${question.question_id}/answer`, body);
};

describe('the hook of a coding agent', () => {
	it('asks on the phones of its key, with what the agent wants to do', async () => {
		const waiting = ask();
		expect(await asked()).toMatchObject({
			title: 'Allow Bash?',
			subtitle: 'shop',
			message: 'command: touch made-by-agent\ndescription: Make a file',
			channels: ['ops'],
			interruption_level: 'time-sensitive',
			question: {
				status: 'open',
				choices: [
					{ id: 'allow', title: 'Allow' },
					{ id: 'deny', title: 'Deny', destructive: true },
				],
			},
		});
		await answer('allow');
		await waiting;
	});

	it.each([
		['Claude Code', CLAUDE_CODE],
		['Codex', CODEX],
	])('allows and denies as a person says: %s', async (_agent, input) => {
		const allowed = ask(input);
		await answer('allow');
		expect(await allowed).toMatchObject({ status: 200, body: decided({ behavior: 'allow' }) });
		server.clock.advance(3_601);
		const denied = ask(input);
		await waitFor(
			'the second question',
			async () => (await questions())[0]?.question.status === 'open',
		);
		await answer('deny');
		expect((await denied).body).toEqual(
			decided({ behavior: 'deny', message: 'owner has denied this.' }),
		);
	});
});

describe('the agent asks by itself', () => {
	it('once the time is over', async () => {
		const waiting = ask();
		await asked();
		server.clock.advance(600);
		await settleDueQuestions(server.context);
		expect(await waiting).toMatchObject({ status: 200, body: {} });
	});

	it('when the question is withdrawn', async () => {
		const waiting = ask();
		const { question } = await asked();
		await withdrawInConsole(server.context, server.account.id, question.question_id);
		expect(await waiting).toMatchObject({ status: 200, body: {} });
	});

	it('when the server stops, and then the question is withdrawn', async () => {
		const waiting = ask();
		await asked();
		server.context.questionWaits.stop();
		expect(await waiting).toMatchObject({ status: 200, body: {} });
		expect(await asked()).toMatchObject({ question: { status: 'withdrawn' } });
	});

	it.each([
		['for another event', { ...CLAUDE_CODE, hook_event_name: 'PreToolUse' }, 400],
		['for what is not the input of a hook', { tool_name: 'Bash' }, 400],
		[
			'for a command that a phone cannot show as a whole',
			{ ...CLAUDE_CODE, tool_input: { command: 'x'.repeat(4_000) } },
			400,
		],
	])('%s', async (_when, body, status) => {
		const refused = await ask(body);
		expect(refused.status).toBe(status);
		expect(refused.body).toEqual(expect.objectContaining({ message: expect.any(String) }));
		expect(await questions()).toEqual([]);
	});

	it('if nobody is in the channels', async () => {
		await server.addChannel('empty');
		key = await server.addSenderKey(['empty']);
		expect((await ask()).status).toBe(422);
	});

	it('with a key that is wrong or revoked', async () => {
		await server.revokeKey(server.account.id, key);
		expect((await ask()).status).toBe(401);
	});
});

describe('an agent that hangs up', () => {
	it('withdraws the question', async () => {
		const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
		const request = openRequest(`${url}/agent-hook`, { method: 'POST', headers });
		request.on('error', () => undefined).end(JSON.stringify(CLAUDE_CODE));
		await asked();
		request.destroy();
		await waitFor('the end', async () => (await asked()).question.status === 'withdrawn');
		expect(await newest(server)).toMatchObject({ kind: 'push_update' });
	});
});
