import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../senders/support/send.ts';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { settleDue } from '../support/later.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, done, startTeam, type Team, withdrawOpen } from './support/team.ts';

/**
 * Attempts with the hook and the tools of agents beside what they are for: at other addresses, by other methods, by inputs of
 * odd shapes, and with what people and colleagues can do about a question that an agent has asked. Ada alone is in `ops`.
 */

let team: Team;
let key: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000' });
	key = await team.server.addSenderKey(['ops']);
});
afterEach(() => withdrawOpen(team.server, team.ada));
afterAll(() => team.server.close());

const PERMISSION = {
	hook_event_name: 'PermissionRequest',
	tool_name: 'Bash',
	tool_input: { command: 'rm -rf ~' },
	session_id: 's',
};
type Options = Parameters<typeof send>[2];
const json = { 'content-type': 'application/json' };
const hook = (body: unknown = PERMISSION, more: Options = {}) =>
	send(team.server, '/agent-hook', { key, body, headers: json, ...more });
const openOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
const onlyOpen = () =>
	waitFor('the question', async () => {
		const [one, ...more] = await openOnes();
		const waits = team.server.context.questionWaits.size > 0;
		return one && more.length === 0 && waits ? one : undefined;
	});
const idOf = (push: any) => String(push.question.question_id);
const decisionOf = (body: any) => body?.hookSpecificOutput?.decision;

/** Asks by the hook, and what it has responded. */
async function ask(body: unknown = PERMISSION) {
	const answered = hook(body);
	const push = await onlyOpen();
	return { answered, push, id: idOf(push) };
}

/** Requires that nobody is asked, told or allowed anything. */
async function expectNothing(attempt: () => Promise<{ text: string }>) {
	const before = await team.ada.inbox();
	const { text } = await attempt();
	expect(text).not.toMatch(/"allow"/);
	expect(await team.ada.inbox()).toEqual(before);
}

describe('a request beside the hook is taken for one', () => {
	it.each([
		'/agent-hook/',
		'//agent-hook',
		'/AGENT-HOOK',
		'/agent-hook%2f',
		'/%61gent-hook%00',
		'/agent-hook;x=1',
		'/api/agent-hook',
		'/mcp/../agent-hook/.',
		'/ntfy/agent-hook',
		'/agent-hook.json',
	])('at %s', async (path) => {
		await expectNothing(() => send(team.server, path, { key, body: PERMISSION, headers: json }));
	});

	it.each(['GET', 'PUT', 'DELETE'] as const)('by %s', async (method) => {
		await expectNothing(() => hook(PERMISSION, { method }));
	});

	it.each<[string, Record<string, string>]>([
		['as a text', { 'content-type': 'text/plain' }],
		['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
		['as JSON of another kind', { 'content-type': 'application/ld+json' }],
		['of no type', { 'content-type': '' }],
	])('whose body is sent %s', async (_how, headers) => {
		await expectNothing(() => hook(JSON.stringify(PERMISSION), { headers }));
	});
});

describe('an input of an odd shape is allowed without being shown', () => {
	const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

	it('that is too deep: nobody is asked', async () => {
		const body = JSON.stringify({ ...PERMISSION, tool_input: { a: 0 } });
		await expectNothing(() => hook(body.replace('"a":0', `"a":${deep(100_000)}`)));
	});

	it('that is deep, and fits: it is shown whole', async () => {
		const body = JSON.stringify({ ...PERMISSION, tool_input: { a: 0 } });
		const { answered, push } = await ask(body.replace('"a":0', `"a":${deep(500)}`));
		expect(push.message).toBe(`a: ${deep(500)}`);
		await withdrawOpen(team.server, team.ada);
		expect((await answered).body).toEqual({});
	});

	it.each<[string, unknown]>([
		['is too deep', JSON.parse(deep(1_000))],
		['is no list', { 0: { type: 'setMode', mode: 'acceptEdits', destination: 'session' } }],
		['has an empty rule', [{ type: 'addRules', behavior: 'allow', rules: [{}], destination: 's' }]],
		['has a rule in a rule', [[{ type: 'addDirectories', directories: ['/'], destination: 's' }]]],
		[
			'has a directory that is none',
			[{ type: 'addDirectories', directories: [{}], destination: 's' }],
		],
	])('with a suggestion for the session that %s: it is not offered', async (_what, given) => {
		const { answered, push } = await ask({ ...PERMISSION, permission_suggestions: given });
		expect(push.question.choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		expect(push.message).toBe('command: rm -rf ~');
		const refused = await answerOn(team.ada, idOf(push), { choice: 'session' });
		expect(refused.status).toBe(400);
		await done(answerOn(team.ada, idOf(push), { choice: 'deny' }));
		expect(decisionOf((await answered).body)).toMatchObject({ behavior: 'deny' });
	});
});

describe('what an agent has asked is decided, or asked again, by something beside an answer', () => {
	it('by the end of a snooze, once it has hung up: it does not return', async () => {
		const { answered, push, id } = await ask();
		const { id: delivery_id } = (await team.ada.snapshot()).questions.find(
			(one: any) => idOf(one.push) === id,
		);
		const snooze = { delivery_id, until: 'hour', time_zone: 'Europe/Berlin' };
		await done(team.ada.call('POST', '/snoozes', snooze));
		await done(team.server.call('DELETE', `/questions/${id}`));
		expect((await answered).body).toEqual({});
		team.server.clock.advance(2 * 60 * 60);
		await settleDue(team.server.context, snoozes);
		const pushes = (await team.ada.inbox()).filter((one: any) => one.kind === 'push');
		expect(pushes.filter((one: any) => one.push.question?.question_id === id)).toHaveLength(1);
		expect(push.title).toBe('Allow Bash?');
	});

	it('by being put aside on the only phone that has it', async () => {
		const { answered, id } = await ask();
		const { id: up_to } = (await team.ada.inbox()).at(-1);
		for (const { id: delivery_id, push } of (await team.ada.snapshot()).questions)
			if (idOf(push) === id) await done(team.ada.call('POST', '/dismissals', { delivery_id }));
		await done(team.ada.call('POST', '/notifications/clear', { up_to }));
		expect((await done(team.server.call('GET', `/questions/${id}`)))['status']).toBe('open');
		await done(team.server.call('DELETE', `/questions/${id}`));
		expect((await answered).body).toEqual({});
	});

	it('by a colleague who sends it, or the workflow’s end of it, again', async () => {
		const { answered, id } = await ask();
		expect((await team.max.call('POST', `/history/${id}/send`, {})).status).toBe(404);
		expect((await team.max.call('POST', `/questions/${id}/callback`, {})).status).toBe(409);
		expect((await team.max.call('DELETE', `/questions/${id}`)).status).toBe(403);
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect(decisionOf((await answered).body)).toEqual({
			behavior: 'deny',
			message: 'Ada has denied this.',
		});
		expect((await team.max.call('POST', `/questions/${id}/callback`, {})).status).toBe(409);
	});

	it('by its time: a tap at the end of it is refused, and the agent asks by itself', async () => {
		const { answered, id } = await ask();
		team.server.clock.advance(591);
		expect((await answerOn(team.ada, id, { choice: 'allow' })).body).toMatchObject({
			outcome: 'refused',
		});
		expect((await answered).body).toEqual({});
	});

	it('by the form of a question, or an answer in the name of a key', async () => {
		const { answered, id } = await ask();
		const path = `/questions/${id}/answer`;
		for (const by of [team.server.account.key, team.ops]) {
			const { status } = await team.server.call('POST', path, { fields: {} }, { key: by });
			expect([403, 404]).toContain(status);
		}
		// The key of the hook is none of the API.
		const { status } = await send(team.server, `/api${path}`, { key, body: { fields: {} } });
		expect(status).toBe(401);
		await done(answerOn(team.ada, id, { choice: 'allow' }));
		expect(decisionOf((await answered).body)).toEqual({ behavior: 'allow' });
	});

	it('by a phone of the same person that is paired only then', async () => {
		const { answered, id } = await ask();
		const second = await team.server.pairPhone({ user: 'Ada', name: 'Second phone' });
		expect((await answerOn(second, id, { choice: 'allow' })).status).toBe(404);
		await done(second.call('DELETE', '/'));
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect(decisionOf((await answered).body)).toMatchObject({ behavior: 'deny' });
	});
});

describe('a message to the tools that calls none of them', () => {
	const message = (body: unknown) =>
		send(team.server, '/mcp', {
			key: team.ops,
			body,
			headers: { ...json, accept: 'application/json, text/event-stream' },
		});
	const given = { name: 'send_push', arguments: { title: 'Hello' } };

	it.each([
		'resources/read',
		'prompts/get',
		'sampling/createMessage',
		'elicitation/create',
		'tasks/result',
		'completion/complete',
		'tools/list',
		'tools/call/',
	])('reaches nobody: %s', async (method) => {
		await expectNothing(() => message({ jsonrpc: '2.0', id: 1, method, params: given }));
	});

	it.each<[string, object]>([
		['a result', { result: { content: [], ...given } }],
		['an error', { error: { code: 1, message: 'send_push' } }],
		['no version', { method: 'tools/call', params: given, jsonrpc: undefined }],
		['another version', { method: 'tools/call', params: given, jsonrpc: '1.0' }],
		['parameters in a list', { method: 'tools/call', params: [given] }],
		['no id', { method: 'tools/call', params: given, id: undefined }],
		['an id of nothing', { method: 'tools/call', params: given, id: null }],
		['an id that is an object', { method: 'tools/call', params: given, id: { a: randomUUID() } }],
	])('reaches nobody: with %s', async (_what, more) => {
		await expectNothing(() => message({ jsonrpc: '2.0', id: 1, ...more }));
	});

	it('but one that calls a tool reaches its phones', async () => {
		const before = (await team.ada.inbox()).length;
		await message({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: given });
		expect(await team.ada.inbox()).toHaveLength(before + 1);
	});
});
