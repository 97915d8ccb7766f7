import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';
import { answerOn, done, startTeam, type Team, withdrawOpen } from './support/team.ts';

/** An agent tries to get another answer than a person gave, or an answer to what a person did not see. */

let team: Team;
let key: string;
let count = 0;
beforeAll(async () => {
	team = await startTeam();
	key = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
});
afterAll(() => team.server.close());

const hook = (body: object, by = key) =>
	send(team.server, '/agent-hook', {
		key: by,
		body: JSON.stringify(body),
		headers: { 'content-type': 'application/json' },
	});
const permission = (tool: string, input: object, more: object = {}) => ({
	hook_event_name: 'PermissionRequest',
	tool_name: tool,
	tool_input: input,
	...more,
});
const openOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
/** The only question that is open. */
const onlyOpen = () =>
	waitFor('the question', async () => {
		const [one, ...more] = await openOnes();
		return one && more.length === 0 && team.server.context.questionWaits.size > 0 ? one : undefined;
	});
const answer = async (given: object) => {
	const { question } = await onlyOpen();
	return done(answerOn(team.ada, question.question_id, { tap_id: randomUUID(), ...given }));
};

async function askTool(input: object = { command: 'ls' }, more: object = {}) {
	count += 1;
	const answered = hook(permission(`Tool${count}`, input, more));
	return { answered, push: await onlyOpen() };
}

const option = (label: string) => ({ label });
const asks = (...questions: object[]) => permission('AskUserQuestion', { questions });
const decisionOf = (body: any) => body.hookSpecificOutput?.decision;

describe('an agent gets another answer than a person gave', () => {
	it('since two of its questions have the same words', async () => {
		const twice = { question: 'Proceed?', options: [option('Yes'), option('No')] };
		const answered = hook(asks({ ...twice, header: 'Delete' }, { ...twice, header: 'Format' }));
		const first = waitFor('a question', async () => (await openOnes())[0]);
		if (await Promise.race([first.then(() => true), answered.then(() => false)])) {
			await answer({ choice: '2' });
			await waitFor('the next', async () => (await openOnes())[0]?.title.includes('Format'));
			await answer({ choice: '1' });
		}
		// One name has one answer: the No would become a Yes.
		expect(decisionOf((await answered).body)?.behavior).not.toBe('allow');
	});

	it('since its options are numbers, which a person types', async () => {
		const ports = { question: 'Which shards?', multiSelect: true };
		const answered = hook(asks({ ...ports, options: ['2', '3', '4'].map(option) }));
		await answer({ text: '2 3' });
		const { updatedInput } = decisionOf((await answered).body);
		expect(updatedInput.answers).toEqual({ 'Which shards?': '2 3' });
	});

	it.each([
		['a number that no option has', '1 9', '1 9'],
		['none', '0', '0'],
		['a negative one', '-1', '-1'],
		['one with a fraction', '1.2', '1.2'],
		['other digits', '１ ２', '１ ２'],
		['one of them twice', '2 02', 'B'],
	])('since a person types %s', async (_what, text, given) => {
		const which = { question: 'Which?', multiSelect: true, options: ['A', 'B'].map(option) };
		const answered = hook(asks(which));
		await answer({ text });
		const { updatedInput } = decisionOf((await answered).body);
		expect(updatedInput.answers).toEqual({ 'Which?': given });
	});

	it('since its question is named like what every object has', async () => {
		const odd = { question: '__proto__', options: [option('Yes'), option('No')] };
		const answered = hook(asks(odd));
		await answer({ choice: '2' });
		const { body } = await answered;
		expect(JSON.stringify(decisionOf(body).updatedInput.answers)).toBe('{"__proto__":"No"}');
	});

	it('since it brings answers along', async () => {
		const one = { question: 'Proceed?', options: [option('Yes'), option('No')] };
		const input = { questions: [one], answers: { 'Proceed?': 'Yes', Other: 'Yes' } };
		const answered = hook(permission('AskUserQuestion', input));
		await answer({ choice: '2' });
		expect(decisionOf((await answered).body).updatedInput.answers).toEqual({ 'Proceed?': 'No' });
	});

	it('since only the first of its questions is answered', async () => {
		const one = { options: [option('Yes'), option('No')] };
		const answered = hook(asks({ ...one, question: 'First?' }, { ...one, question: 'Second?' }));
		await answer({ choice: '1' });
		const second = await waitFor('the second', async () =>
			(await openOnes()).find(({ message }) => message.startsWith('Second?')),
		);
		await done(team.server.call('DELETE', `/questions/${second.question.question_id}`));
		expect((await answered).body).toEqual({});
	});

	it.each([
		['five options', { question: 'A?', options: ['1', '2', '3', '4', '5'].map(option) }],
		['no options', { question: 'A?', options: [] }],
		['no words', { question: '', options: [option('Yes')] }],
		['an option without words', { question: 'A?', options: [option('')] }],
		['options that are texts', { question: 'A?', options: ['Yes', 'No'] }],
	])('since a question has %s, and nobody is asked', async (_what, question) => {
		const { body } = await hook(asks(question));
		expect(decisionOf(body)).toBeUndefined();
		expect(await openOnes()).toEqual([]);
	});

	it('to a plan that was not shown: that of its file, or none', async () => {
		for (const input of [{}, { plan: ['Step 1'] }, { plan: null }, { plan_file: 'plan.md' }]) {
			const { body } = await hook(permission('ExitPlanMode', input));
			expect(decisionOf(body)).toBeUndefined();
		}
		expect(await openOnes()).toEqual([]);
	});

	it('to a plan with more than was shown', async () => {
		const input = { plan: 'Step 1', allowedPrompts: [{ tool: 'Bash', prompt: 'rm -rf ~' }] };
		const answered = hook(permission('ExitPlanMode', input));
		const { message } = await onlyOpen();
		expect(message).toContain('rm -rf ~');
		await answer({ choice: 'allow' });
		expect(decisionOf((await answered).body)).toEqual({ behavior: 'allow', updatedInput: input });
	});
});

describe('a person allows more for the session than they saw', () => {
	const rules = (...contents: string[]) =>
		contents.map((ruleContent) => ({ toolName: 'Bash', ruleContent }));
	const add = { type: 'addRules', behavior: 'allow', destination: 'session' };

	it('as a rule that is kept for good', async () => {
		const permission_suggestions = [
			{ ...add, rules: rules('npm test'), destination: 'userSettings' },
		];
		const { answered, push } = await askTool(undefined, { permission_suggestions });
		expect(push.message).toContain('For this session: Bash(npm test)');
		await answer({ choice: 'session' });
		expect(decisionOf((await answered).body).updatedPermissions).toEqual([
			{ ...add, rules: rules('npm test') },
		]);
	});

	it.each<[string, object]>([
		['a mode that asks nothing', { type: 'setMode', mode: 'bypassPermissions', destination: 'x' }],
		['a rule that takes others away', { type: 'removeRules', rules: [], destination: 'x' }],
		['a rule that denies', { ...add, behavior: 'deny', rules: rules('ls') }],
		['a field that nobody knows', { ...add, rules: rules('ls'), also: 'rm' }],
		['a rule with a field that nobody knows', { ...add, rules: [{ toolName: 'Bash', any: true }] }],
		['another kind', { type: 'addHooks', hooks: ['rm'], destination: 'session' }],
	])('since %s is among it', async (_what, suggestion) => {
		const known = { ...add, rules: rules('npm test') };
		const more = { permission_suggestions: [known, suggestion] };
		const { answered, push } = await askTool(undefined, more);
		expect(push.question.choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		await answer({ choice: 'allow' });
		expect(decisionOf((await answered).body)).toEqual({ behavior: 'allow' });
	});

	it('since a rule of several lines hides the next', async () => {
		const hidden = `npm test)\ncommand: ls${' '.repeat(40)}`;
		const permission_suggestions = [{ ...add, rules: rules(hidden, 'rm:*') }];
		const { push } = await askTool(undefined, { permission_suggestions });
		expect(push.message.split('\n').slice(1)).toEqual([
			'For this session: Bash(npm test)',
			expect.stringMatching(/^│ command: ls.*U\+0020/),
			'│ Bash(rm:*)',
		]);
	});

	it('since a field of the input is named like what it allows', async () => {
		const { push } = await askTool({ command: 'rm', 'For this session': 'Bash(ls)' });
		expect(push.message).toBe('command: rm\n"For this session": Bash(ls)');
	});
});

describe('an agent ends or reads what is another’s', () => {
	it('by the end of a session with the same id', async () => {
		const other = await team.server.addSenderKey(['ops']);
		const { answered } = await askTool(undefined, { session_id: 'session-1' });
		const stop = { hook_event_name: 'Stop', session_id: 'session-1', background_tasks: [] };
		expect((await hook(stop, other)).status).toBe(200);
		await answer({ choice: 'deny' });
		expect(decisionOf((await answered).body)).toMatchObject({ behavior: 'deny' });
	});

	it('by the end of its own, which allows nothing', async () => {
		const { answered } = await askTool(undefined, { session_id: 'session-2' });
		await hook({ hook_event_name: 'Stop', session_id: 'session-2', background_tasks: [] });
		expect((await answered).body).toEqual({});
	});

	it.each([
		['another event', { hook_event_name: 'PreToolUse' }],
		['another spelling', { hook_event_name: 'permissionRequest' }],
		['blanks around it', { hook_event_name: ' PermissionRequest' }],
		['a letter of another alphabet', { hook_event_name: 'РermissionRequest' }],
	])('by %s: nothing is asked or allowed', async (_what, event) => {
		const { body } = await hook({ ...permission('Bash', { command: 'ls' }), ...event });
		expect(JSON.stringify(body)).not.toContain('behavior');
		expect(await openOnes()).toEqual([]);
	});

	it.each(['Notification', 'Stop', 'StopFailure'])(
		'by a %s that looks like a question, with buttons of its own',
		async (name) => {
			const looks = {
				hook_event_name: name,
				message: 'command: ls',
				last_assistant_message: 'command: ls',
				title: 'Allow Bash?',
				actions: [{ title: 'Allow', type: 'webhook', url: 'https://example.com/' }],
				choices: [{ id: 'allow', title: 'Allow' }],
				target: { channels: ['sales'] },
			};
			const bobs = await team.bob.inbox();
			expect((await hook(looks)).body).toEqual({});
			const { push } = (await team.ada.inbox()).at(-1);
			expect(push).not.toHaveProperty('actions');
			expect(push).not.toHaveProperty('question');
			expect(await team.bob.inbox()).toEqual(bobs);
		},
	);
});
