import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../senders/support/send.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, startTeam, type Team, withdrawOpen } from './support/team.ts';

/**
 * Attempts of an agent by lists in which one entry breaks a rule that the others keep: questions, options, and what it would be
 * allowed for the session; and by two requests that look the same.
 */

let team: Team;
let key: string;
beforeAll(async () => {
	team = await startTeam();
	key = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
});
afterAll(() => team.server.close());

const hook = (body: object) =>
	send(team.server, '/agent-hook', {
		key,
		body: { hook_event_name: 'PermissionRequest', session_id: 's1', ...body },
	});

const shownOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');

/** Asks, and waits until as many questions are open. */
async function ask(body: object, count = 1) {
	const answer = hook(body);
	const pushes = await waitFor('the question', async () => {
		const shown = await shownOnes();
		return shown.length === count && shown;
	});
	await waitFor('the wait', () => team.server.context.questionWaits.size === count);
	return { answer, push: pushes[0], pushes };
}

/** The decision that the agent gets. */
const decisionOf = async (answer: ReturnType<typeof hook>): Promise<any> =>
	((await answer).body as any).hookSpecificOutput?.decision;

const tapped = (push: any, given: object) => answerOn(team.ada, push.question.question_id, given);

describe('an agent asks one thing of several, and the rest is not seen', () => {
	const first = { question: 'Which color?', options: [{ label: 'Red' }, { label: 'Blue' }] };
	const labels = (...names: string[]) => names.map((label) => ({ label }));

	it.each<[string, unknown]>([
		['a question without options', [first, { question: 'May I?', options: [] }]],
		['five options', [first, { question: 'May I?', options: labels('1', '2', '3', '4', '5') }]],
		['the same option twice', [first, { question: 'May I?', options: labels('Yes', 'Yes') }]],
		['an option without a label', [first, { question: 'May I?', options: labels('Yes', '') }]],
		['a question without words', [first, { question: '', options: labels('Yes') }]],
		['the same question twice', [first, first]],
		['five questions', ['1', '2', '3', '4', '5'].map((question) => ({ ...first, question }))],
		['a question that is a list', [first, [first]]],
		['a list that is an object', { 0: first, length: 1 }],
	])('beside %s: none is asked, and none is answered', async (_what, questions) => {
		const { status, body } = await hook({
			tool_name: 'AskUserQuestion',
			tool_input: { questions },
		});
		expect({ status, body }).toEqual({ status: 200, body: {} });
		expect(await shownOnes()).toEqual([]);
	});

	it.each([null, '', 0, false])(
		'as Codex, whose turn is %j: its answers are no input of a tool',
		async (turn_id) => {
			const tool_input = { questions: [first] };
			const { answer, push } = await ask({ tool_name: 'AskUserQuestion', tool_input, turn_id });
			expect(push.message).toContain('Which color?');
			await tapped(push, { choice: 'allow' });
			expect(await decisionOf(answer)).toEqual({ behavior: 'allow' });
		},
	);
});

describe('an agent is allowed more for the session than is offered', () => {
	const run = { tool_name: 'Bash', tool_input: { command: 'ls' } };
	const rule = {
		type: 'addRules',
		behavior: 'allow',
		rules: [{ toolName: 'Bash', ruleContent: 'ls:*' }],
		destination: 'localSettings',
	};

	it.each<[string, unknown]>([
		['that takes rules away', { ...rule, type: 'removeRules' }],
		['that replaces rules', { ...rule, type: 'replaceRules' }],
		['that asks, or denies', { ...rule, behavior: 'deny' }],
		['with a field that nobody knows', { ...rule, scope: 'everywhere' }],
		[
			'with a rule that has a field that nobody knows',
			{ ...rule, rules: [{ toolName: 'Bash', negate: true }] },
		],
		['of a mode without limits', { type: 'setMode', mode: 'bypassPermissions', destination: 's' }],
		['of a mode beside rules', { ...rule, type: 'setMode', mode: 'acceptEdits' }],
		['that is no object', null],
	])('beside a suggestion %s: only this once', async (_what, other) => {
		const { answer, push } = await ask({ ...run, permission_suggestions: [rule, other] });
		const { choices } = push.question;
		expect(choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		expect((await tapped(push, { choice: 'session' })).status).toBe(400);
		await tapped(push, { choice: 'allow' });
		expect(await decisionOf(answer)).toEqual({ behavior: 'allow' });
	});

	it.each<[string, object]>([
		['a rule', { ...rule, rules: [{ toolName: 'Bash', ruleContent: 'ls\u202E\u3164:*' }] }],
		[
			'a directory',
			{ type: 'addDirectories', directories: ['/tmp/\u202E\u3164'], destination: 'session' },
		],
	])('by letters of %s that nobody sees', async (_what, suggestion) => {
		const { answer, push } = await ask({ ...run, permission_suggestions: [suggestion] });
		expect(push.message).toContain('⟨U+202E⟩⟨U+3164⟩');
		expect(push.message).not.toMatch(/[\u202E\u3164]/);
		await tapped(push, { choice: 'session' });
		expect(await decisionOf(answer)).toEqual({
			behavior: 'allow',
			updatedPermissions: [{ ...suggestion, destination: 'session' }],
		});
	});
});

describe('two requests that look the same', () => {
	it.each([
		['in one session', {}],
		['in two', { session_id: 's2' }],
		['of a subagent', { agent_id: 'a1' }],
	])('%s: who allows one has not allowed the other', async (_where, other) => {
		const run = { tool_name: 'Bash', tool_input: { command: 'rm -rf build' } };
		const first = await ask(run);
		const second = await ask({ ...run, ...other }, 2);
		const allowed = second.pushes.find(
			({ question }) => question.question_id !== first.push.question.question_id,
		);
		await tapped(allowed, { choice: 'allow' });
		expect(await decisionOf(second.answer)).toEqual({ behavior: 'allow' });
		const open = (await shownOnes()).map(({ question }) => question.question_id);
		expect(open).toEqual([first.push.question.question_id]);
		await tapped(first.push, { choice: 'deny' });
		expect(await decisionOf(first.answer)).toMatchObject({ behavior: 'deny' });
	});
});
