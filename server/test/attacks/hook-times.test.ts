import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, done, startTeam, type Team, withdrawOpen } from './support/team.ts';

/**
 * Attempts of an agent, by its hook and its tools, around the time for which it asks, whom it asks, and the marks of its
 * session: that something is allowed which nobody has seen, or by who may not. Ada alone is in `ops`.
 */

let team: Team;
let key: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000' });
	key = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await withdrawOpen(team.server, team.ada);
	await withdrawOpen(team.server, team.bob);
	team.server.clock.advance(60);
});
afterAll(() => team.server.close());

const hook = (body: object, by = key) => send(team.server, '/agent-hook', { key: by, body });
const permission = (tool_name: string, tool_input: object, more: object = {}) => ({
	...{ hook_event_name: 'PermissionRequest', tool_name, tool_input, ...more },
});
const openOnes = async (phone = team.ada): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
const opened = (count = 1, phone = team.ada) =>
	waitFor(`${count} questions`, async () => {
		const open = await openOnes(phone);
		return open.length === count && team.server.context.questionWaits.size > 0 ? open : undefined;
	});
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;
const idOf = (push: any): string => push.question.question_id;
const labels = (...names: string[]) => names.map((label) => ({ label }));
const asks = (...questions: string[]) =>
	permission('AskUserQuestion', {
		questions: questions.map((question) => ({ question, options: labels('Yes', 'No') })),
	});

describe('an agent is allowed what nobody decided, by time', () => {
	it('as the question expires while it waits: it asks by itself', async () => {
		const answered = hook(permission('Bash', { command: 'rm -rf ~' }));
		const [push] = await opened();
		team.server.clock.advance(600);
		await settleDue(team.server.context, questionTimes);
		expect((await answered).body).toEqual({});
		expect((await answerOn(team.ada, idOf(push), { choice: 'allow' })).body['outcome']).toBe(
			'refused',
		);
	});

	it('as the second of its questions expires: the first answer alone counts for nothing', async () => {
		const answered = hook(asks('First?', 'Second?'));
		const [first] = await opened();
		await done(answerOn(team.ada, idOf(first), { choice: '1' }));
		await waitFor('the second', async () =>
			(await openOnes()).find(({ title }) => title.includes('(2 of 2)')),
		);
		team.server.clock.advance(700);
		await settleDue(team.server.context, questionTimes);
		expect((await answered).body).toEqual({});
	});

	it('as the second is asked in the last seconds: it has half a minute, and is then over', async () => {
		const answered = hook(asks('First?', 'Second?'));
		const [first] = await opened();
		team.server.clock.advance(585);
		await done(answerOn(team.ada, idOf(first), { choice: '1' }));
		const second = await waitFor('the second', async () =>
			(await openOnes()).find(({ title }) => title.includes('(2 of 2)')),
		);
		const left = Date.parse(second.question.deadline_at) - team.server.clock.now;
		expect(left).toBeLessThanOrEqual(30_000);
		await done(answerOn(team.ada, idOf(second), { choice: '2' }));
		const { answers } = decisionOf(await answered).updatedInput;
		expect(answers).toEqual({ 'First?': 'Yes', 'Second?': 'No' });
	});

	it('with a time of its own beside the request', async () => {
		const more = { deadline: { after_seconds: 30, choice: 'allow' }, timeout: 1, default: 'allow' };
		const answered = hook(permission('Bash', { command: 'ls' }, more));
		const [push] = await opened();
		expect(push.question.deadline_choice).toBeUndefined();
		expect(JSON.stringify(push.question)).not.toContain('"timeout"');
		await done(answerOn(team.ada, idOf(push), { choice: 'deny' }));
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'deny' });
	});
});

describe('an agent is allowed something by who may not', () => {
	it('as its channel is empty: nobody is asked, and nothing is decided', async () => {
		await team.setChannel('ops', []);
		const answered = await hook(permission('Bash', { command: 'rm -rf ~' }));
		expect(answered.status).toBe(422);
		expect(decisionOf(answered)).toBeUndefined();
		await team.setChannel('ops', ['Ada']);
		expect(await openOnes()).toEqual([]);
	});

	it.each([
		['target', { target: { channels: ['sales'] } }],
		['channels', { channels: ['sales'] }],
		['answerable_by', { answerable_by: ['Bob'] }],
		['escalate', { escalate: { after_minutes: 1, target: { channels: ['sales'] } } }],
		['link', { link: { title: 'Open', url: 'https://example.com' } }],
		['live_activity', { live_activity: { stream_key: 'theirs' } }],
		['callback', { callback: { url: 'https://example.com' } }],
	])('by the field %s of a question beside the request, or in its input', async (name, more) => {
		const answered = hook(permission('Bash', { command: 'ls', ...more }, more));
		const [push] = await opened();
		expect(await openOnes(team.bob)).toEqual([]);
		expect([undefined, 'none']).toContainEqual(push.question[name]);
		expect(push.message).toContain(`${name}: `);
		await done(answerOn(team.ada, idOf(push), { choice: 'allow' }));
		expect(decisionOf(await answered)).toEqual({ behavior: 'allow' });
	});

	it('as Ada’s place is taken by Bob between its two questions: each decides only what they got', async () => {
		const answered = hook(asks('First?', 'Second?'));
		const [first] = await opened();
		await done(answerOn(team.ada, idOf(first), { choice: '2' }));
		const second = await waitFor('the second', async () =>
			(await openOnes()).find(({ title }) => title.includes('(2 of 2)')),
		);
		await team.setChannel('ops', ['Bob']);
		expect((await answerOn(team.bob, idOf(second), { choice: '1' })).status).toBe(404);
		const { body } = await answerOn(team.ada, idOf(second), { choice: '1' });
		expect(body).toMatchObject({ outcome: 'refused' });
		await team.server.call('DELETE', `/questions/${idOf(second)}`);
		expect((await answered).body).toEqual({});
	});
});

describe('an agent hides what it asks, or whose it is, by the marks of its session', () => {
	it.each([
		['a session', { session_id: 's'.repeat(513) }],
		['a subagent', { session_id: 's', agent_id: 'a'.repeat(513) }],
	])('of %s that is too long to keep: it is not asked', async (_what, more) => {
		const answered = await hook(permission('Bash', { command: 'ls' }, more));
		expect(answered.status).toBe(400);
		expect(await openOnes()).toEqual([]);
	});

	it('without a session: another end without one ends nothing', async () => {
		const answered = hook(permission('Bash', { command: 'ls' }));
		const [push] = await opened();
		for (const hook_event_name of ['PostToolBatch', 'Stop'])
			await hook({ hook_event_name, background_tasks: [] });
		expect((await openOnes()).map(idOf)).toEqual([idOf(push)]);
		await done(answerOn(team.ada, idOf(push), { choice: 'deny' }));
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'deny' });
	});

	it.each(['__proto__', 'constructor', ' ', 'null', '{"session":"s"}'])(
		'of a session named %j: it ends its own alone',
		async (session_id) => {
			const own = hook(permission('Bash', { command: 'own' }, { session_id }));
			await opened();
			const other = hook(permission('Bash', { command: 'other' }, { session_id: 'other' }));
			const open = await opened(2);
			await hook({ hook_event_name: 'PostToolBatch', session_id });
			expect((await own).body).toEqual({});
			const left = open.find(({ message }) => message.includes('other'));
			expect((await openOnes()).map(idOf)).toEqual([idOf(left)]);
			await done(answerOn(team.ada, idOf(left), { choice: 'allow' }));
			expect(decisionOf(await other)).toEqual({ behavior: 'allow' });
		},
	);
});

describe('an agent gives its question an answer, by the words of a tool', () => {
	const ask = async (given: object, by = team.ops) => {
		const params = { name: 'ask_question', arguments: given };
		const body = { jsonrpc: '2.0', id: team.unique('call'), method: 'tools/call', params };
		const headers = { accept: 'application/json' };
		return send(team.server, '/mcp', { key: by, body, headers });
	};
	const asked = {
		title: 'Delete it?',
		choices: [
			{ id: 'yes', title: 'Yes' },
			{ id: 'no', title: 'No' },
		],
	};

	it.each<[string, object]>([
		['with a path in its name', { 'deadline.choice': 'yes' }],
		['as a text', { deadline: '{"after_seconds":30,"choice":"yes"}' }],
		['in a list', { deadline: [{ after_seconds: 30, choice: 'yes' }] }],
		['in other letters', { deadline: { after_seconds: 30, Choice: 'yes' } }],
		['in the choice itself', { choices: [{ id: 'yes', title: 'Yes', default: true }] }],
		['in the escalation', { escalate: { after_minutes: 1, choice: 'yes', target: {} } }],
		['of nothing', { deadline: { after_seconds: 30, choice: null } }],
		['as the answer', { answer: { choice: 'yes', by: { user: 'Ada' } } }],
		['as the state', { status: 'answered' }],
	])('%s: it is not asked', async (_how, more) => {
		const { body } = await ask({ ...asked, ...more });
		expect(body.result).toMatchObject({ isError: true });
		expect(await openOnes()).toEqual([]);
	});
});
