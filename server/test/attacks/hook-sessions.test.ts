import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { UNLIMITED } from '../support/samples.ts';
import { waitFor } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';
import {
	addMember,
	answerOn,
	ASKED,
	done,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/** Attempts of an agent by what its request says beside its tool, and of a member beside a question. */

let team: Team;
let key: string;
let count = 0;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '5', ...UNLIMITED });
	key = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await withdrawOpen(team.server, team.ada);
	team.server.clock.advance(60);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const JSON_TYPE = { 'content-type': 'application/json' };
const hook = (body: unknown, headers: Record<string, string> = {}) =>
	send(team.server, '/agent-hook', {
		key,
		body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
		headers: { ...JSON_TYPE, ...headers },
	});
const permission = (more: object = {}) => ({
	hook_event_name: 'PermissionRequest',
	tool_name: `Tool${(count += 1)}`,
	tool_input: { command: 'ls' },
	...more,
});
const openOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
const onlyOpen = () =>
	waitFor('the question', async () => {
		const [one, ...more] = await openOnes();
		return one && more.length === 0 && team.server.context.questionWaits.size > 0 ? one : undefined;
	});
const isAllowed = ({ body }: { body: any }) =>
	body?.hookSpecificOutput?.decision?.behavior === 'allow';

/** Asks, and is answered. @returns what was shown, and the response */
async function asked(request: object, given: object = { choice: 'allow' }) {
	const response = hook(request);
	const push = await onlyOpen();
	await done(answerOn(team.ada, push.question.question_id, given));
	return { push, response: await response };
}

describe('an agent is allowed what it did not ask, or what nobody saw', () => {
	it.each<[string, object]>([
		['a session that is too long', { session_id: 's'.repeat(513) }],
		['a subagent that is too long', { session_id: 's', agent_id: 'a'.repeat(513) }],
		['a tool whose name is too long', { tool_name: 'T'.repeat(300) }],
		['a number that is none', { tool_input: { amount: 1e21 } }],
	])('with %s: nobody is asked', async (_what, more) => {
		const response = await hook(permission(more));
		expect([response.status, isAllowed(response)]).toEqual([400, false]);
		expect(await openOnes()).toEqual([]);
	});

	it.each<[string, string, unknown]>([
		['a question', 'AskUserQuestion', null],
		['a question', 'AskUserQuestion', 0],
		['a question', 'AskUserQuestion', ''],
		['a plan', 'ExitPlanMode', null],
		['a plan', 'ExitPlanMode', false],
	])(
		'%s of a program with turns (%s, %j): it is a tool like others, whose input is shown',
		async (...args) => {
			const [, tool_name, turn_id] = args;
			const questions = [{ question: 'Coffee?', options: [{ label: 'Yes' }] }];
			const tool_input = { questions, plan: 'Look', answers: { 'Coffee?': 'No' } };
			const { push, response } = await asked(permission({ tool_name, tool_input, turn_id }));
			expect(push.title).toBe(`Allow ${tool_name}?`);
			expect(push.message).toMatch(/^plan: Look\nanswers: .*\nquestions: /);
			const { decision } = response.body.hookSpecificOutput;
			expect(decision).toEqual({ behavior: 'allow' });
		},
	);

	it('for the session, by a rule that does not fit beside a tool that does', async () => {
		const rules = [{ toolName: 'Bash', ruleContent: 'rm -rf ~' }];
		const suggestion = { type: 'addRules', behavior: 'allow', rules, destination: 'session' };
		const tool_input = { command: `ls ${'x'.repeat(15_970)}` };
		const request = permission({ tool_input, permission_suggestions: [suggestion] });
		expect((await hook(request)).body).toEqual({});
		expect(await openOnes()).toEqual([]);
	});

	it('once for the session: only what was suggested with this request', async () => {
		const toSuggest = (ruleContent: string) => [
			{
				type: 'addRules',
				behavior: 'allow',
				rules: [{ toolName: 'Bash', ruleContent }],
				destination: 'userSettings',
			},
		];
		const session_id = 'one';
		const [first, second] = ['ls', 'rm -rf ~'].map((content) =>
			permission({ session_id, permission_suggestions: toSuggest(content) }),
		);
		const { response } = await asked(first!, { choice: 'session' });
		const { updatedPermissions } = response.body.hookSpecificOutput.decision;
		expect(updatedPermissions).toEqual([{ ...toSuggest('ls')[0], destination: 'session' }]);
		// The next one is asked anew.
		const { push } = await asked(second!, { choice: 'deny' });
		expect(push.message).toContain('Bash(rm -rf ~)');
	});

	// Low: the agent itself has written the three options. Fix: refuse AskUserQuestion whose labels contain ", " where
	// several may be chosen (agent-hook/questions.ts, `askUserQuestion`), so that it asks in its terminal.
	it.failing('by an option that is called like two others together', async () => {
		const options = [{ label: 'A' }, { label: 'B' }, { label: 'A, B', description: 'and deploy' }];
		const questions = [{ question: 'Which?', multiSelect: true, options }];
		const request = permission({ tool_name: 'AskUserQuestion', tool_input: { questions } });
		const answersTo = async (text: string) =>
			(await asked(request, { text })).response.body.hookSpecificOutput.decision.updatedInput
				.answers;
		expect(await answersTo('1 2')).not.toEqual(await answersTo('3'));
	});

	it.each<[string, () => ReturnType<typeof hook>]>([
		[
			'that is compressed',
			() => hook(gzipSync(JSON.stringify(permission())), { 'content-encoding': 'gzip' }),
		],
		[
			'in two parts',
			() => hook(`${JSON.stringify(permission())}\n${JSON.stringify(permission())}`),
		],
		['of a text alone', () => hook('"PermissionRequest"')],
		['of nothing', () => hook('null')],
		['of an empty object', () => hook({})],
	])('by a body %s: nobody is asked', async (_what, toSend) => {
		const response = await toSend();
		expect([response.status >= 400, isAllowed(response)]).toEqual([true, false]);
		expect(await openOnes()).toEqual([]);
	});

	it.each(['s\u202E', 's\u200B', 'S', 's\u0000', ' s'])(
		'by the end of the session %j: that of “s” goes on',
		async (session_id) => {
			const response = hook(permission({ session_id: 's' }));
			const { question } = await onlyOpen();
			await hook({ hook_event_name: 'PostToolBatch', session_id });
			expect(await openOnes()).toHaveLength(1);
			await done(answerOn(team.ada, question.question_id, { choice: 'allow' }));
			expect(isAllowed(await response)).toBe(true);
		},
	);

	// Low: the same key alone, and nothing is allowed; the agent asks in its terminal. Fix: `sanitized` in the session of
	// events too (agent-hook/events.ts, `session`), as metadata is, so that both are the same text.
	it.failing.each(['s\u202E', 's\u2066x\u2069'])(
		'by the end of its own session %j, which leaves its question open',
		async (session_id) => {
			const response = hook(permission({ session_id }));
			await onlyOpen();
			await hook({ hook_event_name: 'PostToolBatch', session_id });
			const left = await openOnes();
			await withdrawOpen(team.server, team.ada);
			expect((await response).body).toEqual({});
			expect(left).toEqual([]);
		},
	);

	it('by who was in the channel when it asked, was taken out, and came back: they still had it', async () => {
		const response = hook(permission());
		const { question } = await onlyOpen();
		await team.setChannel('ops', ['Bob']);
		const refused = await answerOn(team.ada, question.question_id, { choice: 'allow' });
		expect(refused.body).toMatchObject({ outcome: 'refused' });
		expect((await answerOn(team.bob, question.question_id, { choice: 'allow' })).status).toBe(404);
		await team.setChannel('ops', ['Ada']);
		await done(answerOn(team.ada, question.question_id, { choice: 'deny' }));
		expect(isAllowed(await response)).toBe(false);
	});
});

describe('a member decides, or is named, beside who was asked', () => {
	const askOps = async (more: object = {}) =>
		String(
			(await call('POST', '/questions', { ...ASKED, target: { channels: ['ops'] }, ...more }))[
				'question_id'
			],
		);

	it('by the name of a phone: the answer is still that of its person', async () => {
		const rename = (name: string) =>
			done(team.max.call('PUT', `/devices/${team.ada.id}`, { name }));
		await rename('Olga (Console)');
		const id = await askOps();
		await done(answerOn(team.ada, id));
		expect(await call('GET', `/questions/${id}`)).toMatchObject({
			answer: { by: { user: 'Ada' } },
		});
		await rename('Phone of Ada');
	});

	it('by a person whom they add with the address of the owner, or to whom they give a phone', async () => {
		const name = team.unique('Late');
		const person = { name, email: 'owner@example.com' };
		expect((await team.max.call('POST', '/users', person)).status).toBe(400);
		await done(team.max.call('POST', '/users', { name }));
		for (const user of [name, 'Ada', undefined]) {
			const body = user === undefined ? {} : { user };
			expect((await team.max.call('POST', '/devices/pair-code', body)).status).not.toBe(200);
		}
	});

	it('by a code for their phone, from before they were removed', async () => {
		const eve = await addMember(team, 'member');
		const { code } = await done(
			eve.call('POST', '/devices/pair-code', {
				user: (await done(eve.call('GET', '/session')))['member'].user,
			}),
		);
		await done(team.olga.call('DELETE', `/members/${eve.memberId}`));
		const paired = await team.ada.call('POST', '/pair', { code, name: 'Late', platform: 'web' });
		expect(paired.status).toBe(404);
	});

	it.each<[string, object]>([
		['its id', { choice: 'yes' }],
		['a text', { text: 'yes' }],
	])('of all phones, by %s, who has joined since', async (_how, given) => {
		const id = String((await call('POST', '/questions', ASKED))['question_id']);
		const eve = await addMember(team, 'owner');
		const answer = await eve.call('POST', `/questions/${id}/answer`, given);
		expect(answer.body['outcome'] ?? answer.status).not.toBe('answered');
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'open' });
	});
});

describe('a tool is called without the allowance of its account', () => {
	const tool = (more: object) =>
		send(team.server, '/mcp', {
			key: team.ops,
			body: {
				jsonrpc: '2.0',
				id: 1,
				params: { name: 'send_push', arguments: { title: 'Free' } },
				...more,
			},
			headers: { accept: 'application/json, text/event-stream' },
		});

	it.each<[string, object]>([
		['in a list', { method: ['ping', 'tools/call'] }],
		['in a list alone', { method: ['tools/call'] }],
		['behind a free one', { method: 'ping\ntools/call' }],
		['as a notification', { method: 'notifications/tools' }],
		['in capitals', { method: 'TOOLS/CALL' }],
	])('whose method is named %s: it is not made', async (_how, more) => {
		const before = (await team.ada.inbox()).length;
		await tool(more);
		expect(await team.ada.inbox()).toHaveLength(before);
	});
});
