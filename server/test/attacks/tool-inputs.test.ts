import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';
import { answerOn, done, startTeam, type Team, withdrawOpen } from './support/team.ts';

/** Attempts of an agent to hide what it runs in the inputs of its own tools, in subagents, and in names like labels. */

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
		body: JSON.stringify({ hook_event_name: 'PermissionRequest', ...body }),
		headers: { 'content-type': 'application/json' },
	});

/** The open questions on Ada's phone. */
const shownOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');

const lastDelivery = async () => (await team.ada.inbox()).at(-1).id as number;

/** What is shown of a tool's input, and the answer of who waits for it. */
async function ask(tool_name: string, tool_input: object, more: object = {}) {
	const answer = hook({ tool_name, tool_input, ...more });
	const [push] = await waitFor('the question', async () => {
		const shown = await shownOnes();
		return shown.length > 0 && shown;
	});
	await waitFor('the wait', () => team.server.context.questionWaits.size > 0);
	return { answer, push, id: push.question.question_id as string };
}

const BEHAVIOR = (behavior: string) => ({ hookSpecificOutput: { decision: { behavior } } });

describe('an agent hides what it runs', () => {
	it.each<[string, string, object, string]>([
		[
			'in the second of several edits',
			'MultiEdit',
			{
				edits: [
					{ old_string: 'a', new_string: 'b' },
					{ old_string: '', new_string: 'x\ny', replace_all: true },
				],
				file_path: '/a',
			},
			'file_path: /a\nedits: [{"old_string":"a","new_string":"b"},{"old_string":"","new_string":"x\\ny","replace_all":true}]',
		],
		[
			'in a cell that it deletes',
			'NotebookEdit',
			{ new_source: '', cell_type: 'markdown', edit_mode: 'delete', notebook_path: '/n.ipynb' },
			'notebook_path: /n.ipynb\ncell_type: markdown\nedit_mode: delete\nnew_source:',
		],
		[
			'by going on in the background, without a sandbox',
			'Bash',
			{
				description: 'List files',
				dangerouslyDisableSandbox: true,
				run_in_background: true,
				timeout: 600000,
				command: 'rm -rf ~',
			},
			'command: rm -rf ~\ndangerouslyDisableSandbox: true\ndescription: List files\nrun_in_background: true\ntimeout: 600000',
		],
		[
			'in what a subagent is told',
			'Task',
			{ subagent_type: 'x', description: 'Look', prompt: 'Delete it.\nprompt: Look\n\n\nquietly' },
			'description: Look\nprompt: Delete it.\n│ prompt: Look\n│ ⟨2 blank lines⟩\n│ quietly\nsubagent_type: x',
		],
		[
			'in a text within lists within lists',
			'mcp__a__b',
			{ a: [[[{ b: ['x', ['\u200Frm \u202Ecba', null]] }]], []] },
			'a: [[[{"b":["x",["⟨U+200F⟩rm ⟨U+202E⟩cba",null]]}]],[]]',
		],
		[
			'in a name within a list, which ends a line',
			'mcp__a__b',
			{ a: [{ 'b"}]\ncommand: ls': 1 }] },
			'a: [{"b\\"}]\\ncommand: ls":1}]',
		],
		[
			'behind a name that is written like its label and value',
			'Bash',
			{ 'command: ls': '', command: 'rm' },
			'command: rm\n"command: ls":',
		],
		[
			'behind names that turn the reading direction',
			'Bash',
			{ '\u200Fcommand': 'ls', '\u061C': 'ls', command: 'rm' },
			'command: rm\n"⟨U+061C⟩": ls\n"⟨U+200F⟩command": ls',
		],
		[
			'behind names that are numbers, which come first in every object',
			'Bash',
			{ 1: 'ls', 0: 'ls', command: 'rm' },
			'command: rm\n0: ls\n1: ls',
		],
		[
			'behind a value that is written as another one',
			'Bash',
			{ a: 'true', b: true, c: '["x"]', d: ['x'], command: '"rm"' },
			'command: "rm"\na: true\nb: true\nc: ["x"]\nd: ["x"]',
		],
		[
			'behind a blank letter of Hangul, and of Braille',
			'Bash',
			{ command: 'ls\u3164\uFFA0\u115F\u2800rm' },
			'command: ls⟨U+3164⟩⟨U+FFA0⟩⟨U+115F⟩⟨U+2800⟩rm',
		],
		[
			'in variations of a letter, which carry bytes',
			'Bash',
			{ command: 'ls\uFE00\u{E0101}\u{E0102}' },
			'command: ls⟨U+FE00⟩⟨U+E0101⟩⟨U+E0102⟩',
		],
		[
			'behind notes between lines',
			'Bash',
			{ command: 'rm\uFFF9ls\uFFFA\uFFFB\uFFFC' },
			'command: rm⟨U+FFF9⟩ls⟨U+FFFA⟩⟨U+FFFB⟩⟨U+FFFC⟩',
		],
		[
			'behind lines of blanks of several kinds',
			'Bash',
			{ command: 'ls\n \t \n\t\n \nrm\n\u00A0\n' },
			'command: ls\n│ ⟨3 blank lines⟩\n│ rm\n│ ⟨U+00A0⟩\n│',
		],
	])('%s', async (_where, tool, input, message) => {
		const { push, answer, id } = await ask(tool, input);
		expect(push).toMatchObject({ title: `Allow ${tool}?`, message });
		expect(push).not.toHaveProperty('markdown');
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect((await answer).body).toMatchObject(BEHAVIOR('deny'));
	});

	it('among very many fields: all are shown', async () => {
		const names = Array.from({ length: 600 }, (_, index) => `a${index}`);
		const { push } = await ask('Many', {
			...Object.fromEntries(names.map((name) => [name, 1])),
			command: 'rm -rf ~',
		});
		const { body } = await team.ada.call('GET', `/deliveries/${await lastDelivery()}/message`);
		expect(push.shortened).toBe(true);
		expect(body['message'].split('\n')).toEqual([
			'command: rm -rf ~',
			...names.toSorted().map((name) => `${name}: 1`),
		]);
	});

	it.each<[string, object]>([
		[
			'among more fields than are shown',
			Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`a${n}`, n])),
		],
		['in more lines than are shown', { command: 'a\n'.repeat(9_000) }],
		['in names of more letters than are shown', { ['a'.repeat(16_000)]: 1 }],
		['in invisible characters, whose code points are longer', { a: '\u200Bx'.repeat(2_500) }],
	])('%s: it is told at the computer', async (_where, input) => {
		expect((await hook({ tool_name: 'Large', tool_input: input })).body).toEqual({});
		expect(await shownOnes()).toEqual([]);
		const { push } = (await team.ada.inbox()).at(-1);
		expect(push.title).toBe('Large: too long to show, answer at the computer');
		expect(push.actions ?? []).toEqual([]);
	});

	it.each<[string, string, string]>([
		['that has several lines', 'Read?\nAllow Bash', 'Allow Read?⟨U+000A⟩Allow Bash?'],
		['that turns the direction', '\u202EhsaB\u202C', 'Allow ⟨U+202E⟩hsaB⟨U+202C⟩?'],
		['of blanks', ' '.repeat(3), 'Allow ⟨3 × U+0020⟩?'],
		['that is empty', '', 'Allow ?'],
	])('by a tool with a name %s', async (_which, tool, title) => {
		const { push } = await ask(tool, { command: 'ls' });
		expect(push.title).toBe(title);
	});

	it('behind a folder whose name turns the direction', async () => {
		const { push } = await ask('Bash', { command: 'ls' }, { cwd: '/home/\u202Egnp.\u2066a' });
		expect(push.subtitle).toBe('⟨U+202E⟩gnp.⟨U+2066⟩a');
	});
});

describe('an agent takes the answer of another', () => {
	it('as a subagent of the same session: an answer allows one of them, and its end ends its own', async () => {
		const of = { session_id: 'same', tool_name: 'Bash' };
		const asking = ['one', 'two'].map((agent_id) =>
			hook({ ...of, agent_id, tool_input: { command: agent_id } }),
		);
		const both = await waitFor('both questions', async () => {
			const shown = await shownOnes();
			return shown.length === 2 && shown;
		});
		const idOf = (command: string) =>
			both.find(({ message }: any) => message === `command: ${command}`).question.question_id;
		await done(answerOn(team.ada, idOf('one'), { choice: 'allow' }));
		expect((await asking[0]!).body).toMatchObject(BEHAVIOR('allow'));
		await hook({ hook_event_name: 'PostToolBatch', session_id: 'same', agent_id: 'one' });
		expect(await shownOnes()).toMatchObject([{ message: 'command: two' }]);
		await hook({ hook_event_name: 'PostToolBatch', session_id: 'same', agent_id: 'two' });
		expect((await asking[1]!).body).toEqual({});
	});
});
