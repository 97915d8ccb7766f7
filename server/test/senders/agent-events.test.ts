import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { readAgent } from '../../src/http/senders/agent-hook/index.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { UNLIMITED } from '../support/samples.ts';
import { waitFor } from '../support/wait.ts';
import { send } from './support/send.ts';

/** The events of an agent that wait for no answer. As recorded from Claude Code 2.1.332. */

const SESSION = {
	session_id: '7590018e-17ed-4ade-96ab-62191ec25a70',
	transcript_path: '/home/ada/.claude/projects/-home-ada-shop/7590018e.jsonl',
	cwd: '/home/ada/shop',
};
const NEEDED = {
	...SESSION,
	hook_event_name: 'Notification',
	message: 'Claude needs your permission',
	notification_type: 'permission_prompt',
};
const FINISHED = {
	...SESSION,
	hook_event_name: 'Stop',
	stop_hook_active: false,
	last_assistant_message: 'All tests pass.',
	background_tasks: [],
	session_crons: [],
};
const FAILED = {
	...SESSION,
	hook_event_name: 'StopFailure',
	error: 'billing_error',
	last_assistant_message: 'Credit balance is too low',
};
const PERMISSION = {
	...SESSION,
	hook_event_name: 'PermissionRequest',
	tool_name: 'Bash',
	tool_input: { command: 'npm publish' },
};
/** All tools that the model has called at once have run, or were refused. */
const DONE = {
	...SESSION,
	hook_event_name: 'PostToolBatch',
	tool_calls: [{ tool_name: 'Bash', tool_input: PERMISSION.tool_input, tool_use_id: 'toolu_0' }],
};
const SUBAGENT = { agent_id: 'ae4f6d29b0e4abacf', agent_type: 'general-purpose' };

let server: TestServer;
let key: string;
beforeEach(async () => {
	server = await startTestServer({ settings: UNLIMITED });
	await server.addChannel('ops', { users: ['owner'] });
	key = await server.addSenderKey(['ops']);
});
afterEach(() => server.close());

const call = (body: object, headers = {}) => send(server, '/agent-hook', { key, body, headers });
const shown = async (): Promise<any[]> =>
	(await server.phone.snapshot()).notifications.map(({ push }: any) => push);
const statusOfQuestion = async () =>
	(await server.phone.snapshot()).questions[0]?.push.question.status;
const asked = () => waitFor('the question', async () => (await statusOfQuestion()) === 'open');

describe('an event of an agent', () => {
	it.each([
		['needs somebody', NEEDED, 'shop', 'Claude needs your permission', 'time-sensitive'],
		[
			'needs a choice',
			{ ...NEEDED, notification_type: 'agent_needs_input', title: 'Auto mode' },
			'shop: Auto mode',
			'Claude needs your permission',
			'time-sensitive',
		],
		[
			'is idle',
			{ ...NEEDED, notification_type: 'idle_prompt', message: 'Claude is waiting for your input' },
			'shop',
			'Claude is waiting for your input',
			'active',
		],
		['has finished', FINISHED, 'shop: finished', 'All tests pass.', 'active'],
		[
			'has failed',
			FAILED,
			'shop: stopped by an error',
			'billing_error: Credit balance is too low',
			'active',
		],
		['says no more', { hook_event_name: 'Stop' }, 'Coding agent: finished', '', 'active'],
	])('is a push when it %s', async (_what, body, title, message, level) => {
		expect(await call(body)).toMatchObject({ status: 200, body: {} });
		expect(await shown()).toMatchObject([
			{ title, message, interruption_level: level, channels: ['ops'] },
		]);
	});

	it('replaces the last one of its session, and no other', async () => {
		for (const body of [NEEDED, FINISHED, { ...NEEDED, session_id: 'another' }, FAILED])
			await call(body);
		expect((await shown()).map(({ title }) => title)).toEqual([
			'shop: stopped by an error',
			'shop',
		]);
	});

	it('ends in … if it is long', async () => {
		await call({ ...FINISHED, last_assistant_message: 'x'.repeat(20_000) });
		const [{ message }] = await shown();
		expect(message.endsWith('x…')).toBe(true);
	});

	it('without its message is refused', async () => {
		expect((await call({ hook_event_name: 'Notification' })).status).toBe(400);
	});
});

describe('an open question of the session', () => {
	it('has told people already that somebody is needed', async () => {
		const waiting = call(PERMISSION);
		await asked();
		await call(NEEDED);
		expect(await shown()).toEqual([]);
		await call({ ...NEEDED, notification_type: 'agent_needs_input' });
		await call({ ...NEEDED, session_id: 'another' });
		expect(await shown()).toHaveLength(2);
		await call(FINISHED);
		await waiting;
	});

	it('is withdrawn when the agent stops: it was answered where it runs', async () => {
		const waiting = call(PERMISSION);
		await asked();
		await call({ ...FINISHED, session_id: 'another' });
		await call({ ...FINISHED, background_tasks: [{ id: 'x' }] });
		const { background_tasks: _no, ...ofCodex } = FINISHED;
		await call(ofCodex);
		expect(await statusOfQuestion()).toBe('open');
		const other = await server.addSenderKey(['ops']);
		await send(server, '/agent-hook', { key: other, body: FINISHED });
		expect(await statusOfQuestion()).toBe('open');
		await call(FINISHED);
		expect((await waiting).body).toEqual({});
		expect(await statusOfQuestion()).toBe('withdrawn');
	});
});

describe('a question that somebody answers in the terminal', () => {
	const statuses = async () =>
		(await server.phone.snapshot()).questions.map(({ push }: any) => push.question.status);

	it('is withdrawn when the tools have run, and a later tap is told so', async () => {
		const waiting = call(PERMISSION);
		await asked();
		const [{ push }] = (await server.phone.snapshot()).questions;
		expect(await call(DONE)).toMatchObject({ status: 200, body: {} });
		expect((await waiting).body).toEqual({});
		expect(await shown()).toEqual([]);
		const tap = { tap_id: randomUUID(), choice: 'allow' };
		const { question_id: id } = push.question;
		expect((await server.phone.call('POST', `/questions/${id}/answer`, tap)).body).toMatchObject({
			outcome: 'refused',
			message: 'This question was withdrawn.',
		});
	});

	it('ends no other: of another session, subagent or key', async () => {
		const waiting = call({ ...PERMISSION, ...SUBAGENT });
		await asked();
		await call(DONE);
		await call({ ...DONE, ...SUBAGENT, session_id: 'another' });
		await call({ ...DONE, agent_id: 'another' });
		const { session_id: _none, ...unnamed } = { ...DONE, ...SUBAGENT };
		await call(unnamed);
		const key = await server.addSenderKey(['ops']);
		await send(server, '/agent-hook', { key, body: { ...DONE, ...SUBAGENT } });
		expect(await statuses()).toEqual(['open']);
		await call({ ...DONE, ...SUBAGENT });
		await waiting;
		expect(await statuses()).toEqual(['withdrawn']);
	});

	it('ends for subagents too when the agent stops', async () => {
		const waiting = call({ ...PERMISSION, ...SUBAGENT });
		await asked();
		await call(FINISHED);
		await waiting;
		expect(await statuses()).toEqual(['withdrawn']);
	});
});

it('a tool batch is no push: an agent may call more tools than an account may send pushes', async () => {
	await server.close();
	server = await startTestServer({ settings: { BECKON_RATE_NOTIFICATIONS: '2' } });
	await server.addChannel('ops', { users: ['owner'] });
	key = await server.addSenderKey(['ops']);
	for (let n = 0; n < 3; n += 1) expect((await call(DONE)).status).toBe(200);
	expect((await call(NEEDED)).status).toBe(200);
	expect((await call(NEEDED)).status).toBe(429);
});

describe('the version of an agent', () => {
	it.each([
		['claude-code_2-1-332_harness', []],
		['claude-code_2-1-33_harness', []],
		['curl/9.9.9', []],
		['codex-cli 0.171.0', []],
		['claude-code_2-1-1000_harness', ['claude-code 2.1.1000']],
		['codex-cli 1.0.0', ['codex-cli 1.0.0']],
	])('is logged once if it is newer than what was tried: %s', async (agent, newer) => {
		const lines: unknown[] = [];
		const log = { warn: (line: { agent: string }) => lines.push(line.agent) };
		const request = { headers: { 'user-agent': agent }, log } as unknown as FastifyRequest;
		const logged = new Set<string>();
		for (let n = 0; n < 2; n += 1) readAgent(request, logged);
		expect(lines).toEqual(newer);
	});
});
