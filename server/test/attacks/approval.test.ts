import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isShownWhole } from '../../src/contract/categories.ts';
import { waitFor } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';
import { answerOn, done, startTeam, type Team, withdrawOpen } from './support/team.ts';

/** Further attempts to have allowed what nobody saw, or to be allowed by somebody who may not. */

let team: Team;
let key: string;
let count = 0;
beforeAll(async () => {
	team = await startTeam();
	key = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await withdrawOpen(team.server, team.ada);
});
afterAll(() => team.server.close());

const hook = (body: object | string) =>
	send(team.server, '/agent-hook', {
		key,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		headers: { 'content-type': 'application/json' },
	});

/** @param input the JSON of the tool's input @param more of the request */
async function ask(input: string, more: object = {}) {
	count += 1;
	const tool = `Tool${count}`;
	const request = { hook_event_name: 'PermissionRequest', tool_name: tool, ...more };
	const answer = hook(JSON.stringify(request).replace(/\}$/, `,"tool_input":${input}}`));
	const push = await waitFor('the question', async () =>
		(await team.ada.snapshot()).questions
			.map((shown: any) => shown.push)
			.find(({ title }: any) => title.includes(tool)),
	);
	await waitFor('the wait', () => team.server.context.questionWaits.size > 0);
	return { answer, push, id: push.question.question_id as string };
}

const ALLOWED = { hookSpecificOutput: { decision: { behavior: 'allow' } } };

describe('an agent hides what it runs', () => {
	it.each([
		['in no field', '{}', undefined],
		['in a field without a value', '{"command":"","file_path":null}', 'command:\nfile_path: null'],
		[
			'behind a value that is no text',
			'{"command":["rm","-rf","~"],"a":true}',
			'command: ["rm","-rf","~"]\na: true',
		],
		['behind an empty name', '{"":"ls","command":"rm -rf ~"}', 'command: rm -rf ~\n"": ls'],
		[
			'behind a name like a mark',
			'{"│ command":"ls","command":"rm"}',
			'command: rm\n"│ command": ls',
		],
		[
			'behind a name that ends a line',
			'{"a\\ncommand":"ls","command":"rm"}',
			'command: rm\n"a\\ncommand": ls',
		],
		['behind halves of a character', '{"command":"a\\ud83db"}', 'command: a⟨U+FFFD⟩b'],
		[
			'behind marks piled on a letter',
			'{"command":"a\\u0301\\u0301\\u0301\\u0301"}',
			'command: a\u0301\u0301⟨2 × U+0301⟩',
		],
		['behind a backspace', '{"command":"rm\\b\\bls"}', 'command: rm⟨2 × U+0008⟩ls'],
		[
			'behind colors of a terminal',
			'{"command":"\\u001b[8mrm\\u001b[0m"}',
			'command: ⟨U+001B⟩[8mrm⟨U+001B⟩[0m',
		],
		[
			'in the order of names',
			'{"z":"1","url":"u","b":"2","path":"p","A":"3"}',
			'path: p\nurl: u\nA: 3\nb: 2\nz: 1',
		],
		['behind a byte order mark', '{"command":"\\ufeffls"}', 'command: ⟨U+FEFF⟩ls'],
		[
			'behind letters for private use',
			'{"command":"\\ue000\\udbff\\udffd"}',
			'command: ⟨U+E000⟩⟨U+10FFFD⟩',
		],
	])('%s', async (_where, input, shown) => {
		const { push, answer, id } = await ask(input);
		expect(push.message?.replaceAll('\uFFFD', '⟨U+FFFD⟩') || undefined).toBe(shown);
		await answerOn(team.ada, id, { choice: 'deny' });
		expect((await answer).body).not.toMatchObject(ALLOWED);
	});

	it('in lists too deep to be read: it is not asked, and nothing is allowed', async () => {
		const depth = 100_000;
		const input = `{"command":"rm","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
		const request = `{"hook_event_name":"PermissionRequest","tool_name":"Deep","tool_input":${input}}`;
		const { body } = await hook(request);
		expect(body).not.toMatchObject(ALLOWED);
	});

	it.each([
		['of the kind that it names itself', { hook_event_name: ['PermissionRequest'] }],
		['with a name that is a list', { tool_name: ['Bash'] }],
		['whose input is a text', { tool_input: 'rm -rf ~' }],
		['whose input is a list', { tool_input: ['rm'] }],
		['without an input', { tool_input: null }],
	])('in a request %s', async (_what, more) => {
		const before = (await team.ada.inbox()).length;
		const request = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} };
		const { status, body } = await hook({ ...request, ...more });
		expect([status, body]).toEqual([400, expect.not.objectContaining(ALLOWED)]);
		expect(await team.ada.inbox()).toHaveLength(before);
	});

	it.each([
		['decision', { decision: { behavior: 'allow' } }],
		['answer', { answer: { choice: 'allow', by: { user: 'Ada' } } }],
		['default', { deadline: { after_seconds: 30, choice: 'allow' } }],
		['choices', { choices: [{ id: 'allow', title: 'Deny' }] }],
		['target', { target: { channels: ['sales'] }, channels: ['sales'] }],
	])('or changes its question by a field for its %s', async (_what, more) => {
		const before = (await team.bob.inbox()).length;
		const { push, answer, id } = await ask('{"command":"ls"}', more);
		expect(push.question.choices).toMatchObject([{ title: 'Allow' }, { title: 'Deny' }]);
		expect(push.question).not.toHaveProperty('deadline_choice');
		expect(await team.bob.inbox()).toHaveLength(before);
		await done(team.server.call('DELETE', `/questions/${id}`));
		expect((await answer).body).toEqual({});
	});
});

describe('an agent is allowed by somebody who may not', () => {
	it('who has left the channel since', async () => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const { answer, id } = await ask('{"command":"ls"}');
		await team.setChannel('ops', ['Ada']);
		expect((await answerOn(team.bob, id, { choice: 'allow' })).body['outcome']).toBe('refused');
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect((await answer).body).toMatchObject({
			hookSpecificOutput: { decision: { behavior: 'deny', message: 'Ada has denied this.' } },
		});
	});

	it('who joins the channel while it waits', async () => {
		const { answer, id } = await ask('{"command":"ls"}');
		await team.setChannel('ops', ['Ada', 'Bob', 'Max']);
		expect((await answerOn(team.bob, id, { choice: 'allow' })).status).toBe(404);
		const inConsole = await team.max.call('POST', `/questions/${id}/answer`, { choice: 'allow' });
		expect(inConsole.body).toMatchObject({ outcome: 'refused' });
		await done(team.olga.call('DELETE', `/questions/${id}`));
		expect((await answer).body).toEqual({});
	});

	it('with the title of its button', async () => {
		const { answer, id } = await ask('{"command":"ls"}');
		for (const choice of ['Allow', 'ALLOW', ''])
			expect((await answerOn(team.ada, id, { choice })).status).toBe(400);
		await done(team.server.call('DELETE', `/questions/${id}`));
		expect((await answer).body).toEqual({});
	});
});

describe('a notification offers a choice beside less than all of a question', () => {
	it.each([
		['of four lines', ['a', 'b', 'c\nd']],
		['behind lines of other ends', ['a', 'b\u2028c', 'd']],
		['behind a returned carriage', ['a\rb\rc', 'd']],
		['behind a page', ['a\fb\u000Bc\u0085d']],
		['that ends in empty lines', ['a', 'b\n\n\n']],
		['of many characters in few units', ['a'.repeat(60), '🚀'.repeat(60)]],
		['behind a subtitle', ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]],
	])('%s', (_what, texts) => {
		expect(isShownWhole(...texts)).toBe(false);
		expect(isShownWhole('a'.repeat(58), 'b'.repeat(60))).toBe(true);
	});
});
