import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { historyEntry } from '../../src/service/history/entry.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { UNLIMITED } from '../support/samples.ts';
import { waitFor } from '../support/wait.ts';
import { send } from './support/send.ts';

/** What an agent asks a person by itself: its plan, and its questions. As recorded from Claude Code 2.1.332. */

const CALL = {
	session_id: '7590018e-17ed-4ade-96ab-62191ec25a70',
	cwd: '/home/ada/shop',
	permission_mode: 'plan',
	hook_event_name: 'PermissionRequest',
};
const PLAN = {
	...CALL,
	tool_name: 'ExitPlanMode',
	tool_input: {
		plan: '# Plan\n1. Do it\n',
		planFilePath: '/home/ada/.claude/plans/logical-bee.md',
	},
};
const DATABASE = {
	question: 'Which database?',
	header: 'DB',
	options: [
		{ label: 'SQLite', description: 'One file' },
		{ label: 'PostgreSQL', description: 'A server' },
	],
	multiSelect: false,
};
const FEATURES = {
	question: 'Which features?\n1. None',
	header: 'Features',
	options: [
		{ label: 'Sign in', description: 'With a password\nand a code' },
		{ label: 'Search' },
		{ label: 'Export', description: 'CSV', preview: 'a,b\n1,2' },
	],
	multiSelect: true,
};
const asking = (...questions: object[]) => ({
	...CALL,
	tool_name: 'AskUserQuestion',
	tool_input: { questions, metadata: { source: 'x' } },
});

let server: TestServer;
let key: string;
beforeEach(async () => {
	server = await startTestServer({ settings: UNLIMITED });
	await server.addChannel('ops', { users: ['owner'] });
	key = await server.addSenderKey(['ops']);
});
afterEach(() => server.close());

const call = (body: object, headers = {}) => send(server, '/agent-hook', { key, body, headers });
const open = () =>
	waitFor('an open question', async () => {
		const { questions } = await server.phone.snapshot();
		return questions
			.map(({ push }: any) => push)
			.find(({ question }: any) => question.status === 'open');
	});
async function answer(given: { choice: string } | { text: string }) {
	const { question } = await open();
	const body = { tap_id: randomUUID(), ...given };
	const { status } = await server.phone.call(
		'POST',
		`/questions/${question.question_id}/answer`,
		body,
	);
	expect(status).toBe(200);
	return question.question_id as string;
}
const decisionIn = ({ body }: Awaited<ReturnType<typeof call>>) =>
	body.hookSpecificOutput?.decision;

describe('a plan', () => {
	it('is approved with its input, which Claude Code wants back', async () => {
		const waiting = call(PLAN);
		expect(await open()).toMatchObject({
			title: 'Approve this plan?',
			subtitle: 'shop',
			message: expect.stringMatching(/^plan: # Plan\n│ 1\. Do it\n/),
		});
		await answer({ choice: 'allow' });
		expect(decisionIn(await waiting)).toEqual({ behavior: 'allow', updatedInput: PLAN.tool_input });
	});

	it('is denied with a reason', async () => {
		const waiting = call(PLAN);
		await answer({ text: 'Smaller steps' });
		expect(decisionIn(await waiting)).toEqual({
			behavior: 'deny',
			message: 'owner has denied this: Smaller steps',
		});
	});

	it('that is not there cannot be approved', async () => {
		expect(await call({ ...PLAN, tool_input: {} })).toMatchObject({ status: 200, body: {} });
		const { notifications, questions } = await server.phone.snapshot();
		expect(questions).toEqual([]);
		expect(notifications[0].push.title).toBe(
			'ExitPlanMode: nothing to show, answer at the computer',
		);
	});

	it('of Codex is a tool like any other: it rejects a decision that changes the input', async () => {
		const waiting = call({ ...PLAN, turn_id: 'turn-1' });
		await answer({ choice: 'allow' });
		expect(decisionIn(await waiting)).toEqual({ behavior: 'allow' });
	});
});

describe('questions of an agent', () => {
	const toInput = (body: ReturnType<typeof asking>, answers: object) => ({
		behavior: 'allow',
		updatedInput: { ...body.tool_input, answers },
	});

	it('are asked one after another, with their options as buttons', async () => {
		const body = asking(DATABASE, FEATURES);
		const waiting = call(body);
		expect(await open()).toMatchObject({
			title: 'Question (1 of 2): DB',
			subtitle: 'shop',
			message: 'Which database?\n1. SQLite: One file\n2. PostgreSQL: A server',
			question: {
				choices: [
					{ id: '1', title: 'SQLite' },
					{ id: '2', title: 'PostgreSQL' },
				],
				text: { placeholder: 'Other words' },
			},
		});
		await answer({ choice: '2' });
		expect(await open()).toMatchObject({
			title: 'Question (2 of 2): Features',
			message: [
				'Which features?\n│ 1. None',
				'1. Sign in: With a password\n│ and a code',
				'2. Search',
				'3. Export: CSV\n│ a,b\n│ 1,2',
			].join('\n'),
			question: { text: { placeholder: 'Several, such as 1 3, or other words' } },
		});
		await answer({ text: '1, 3' });
		expect(decisionIn(await waiting)).toEqual(
			toInput(body, {
				'Which database?': 'PostgreSQL',
				'Which features?\n1. None': 'Sign in, Export',
			}),
		);
	});

	it.each([
		['a button of several', FEATURES, { choice: '2' }, 'Search'],
		['numbers of several, each once', FEATURES, { text: '3 + 1 3' }, 'Export, Sign in'],
		['a number that no option has', FEATURES, { text: '1 4' }, '1 4'],
		['other words', FEATURES, { text: 'Only 1 of them' }, 'Only 1 of them'],
		['other words for one', DATABASE, { text: '1' }, '1'],
	])('take %s', async (_what, question, given, label) => {
		const body = asking(question);
		const waiting = call(body);
		expect((await open()).title).toBe(`Question: ${question.header}`);
		await answer(given);
		expect(decisionIn(await waiting)).toEqual(toInput(body, { [question.question]: label }));
	});

	it('decide nothing unless all are answered', async () => {
		const waiting = call(asking(DATABASE, FEATURES));
		await answer({ choice: '1' });
		const { question } = await open();
		await server.call('DELETE', `/questions/${question.question_id}`);
		expect((await waiting).body).toEqual({});
	});

	it.each([
		['no questions', {}],
		['no options', { questions: [{ ...DATABASE, options: [] }] }],
		[
			'more options than buttons',
			{
				questions: [
					{ ...DATABASE, options: ['a', 'b', 'c', 'd', 'e'].map((label) => ({ label })) },
				],
			},
		],
		['more than a phone shows', { questions: [{ ...DATABASE, question: 'x'.repeat(17_000) }] }],
	])('with %s are for the computer', async (_what, tool_input) => {
		expect((await call({ ...asking(), tool_input })).body).toEqual({});
		const { notifications, questions } = await server.phone.snapshot();
		expect(questions).toEqual([]);
		expect(notifications[0].push.title).toMatch(/^AskUserQuestion: .*, answer at the computer$/);
	});
});

describe('the history', () => {
	const noted = (id: string) =>
		waitFor('what was returned', async () => {
			const { metadata } = await historyEntry(server.context, server.account.id, id);
			return metadata?.['returned'] === undefined ? undefined : metadata;
		});

	it('has what was returned, and to which version', async () => {
		const waiting = call(PLAN, { 'user-agent': 'claude-code_2-1-332_harness' });
		const id = await answer({ choice: 'deny' });
		await waiting;
		expect(await noted(id)).toEqual({
			agent: 'claude-code 2.1.332',
			session: CALL.session_id,
			returned: '{"behavior":"deny","message":"owner has denied this."}',
		});
	});

	it('says so if the agent hung up before it got the answer', async () => {
		const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
		const request = openRequest(`${url}/agent-hook`, { method: 'POST', headers });
		request.on('error', () => undefined).end(JSON.stringify(PLAN));
		await open();
		await waitFor('the wait', () => server.context.questionWaits.size === 1);
		// The hook does not hear of the answer before the agent hangs up.
		server.context.questionWaits.changed = () => undefined;
		const id = await answer({ choice: 'allow' });
		request.destroy();
		expect(await noted(id)).toMatchObject({ returned: 'nothing: it hung up' });
	});
});
