import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import { endActivities } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import {
	answerOn,
	ASKED,
	cardsOn,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts where one path has a check, and its sibling might not: of an agent with its hook and its tools, and of the
 * holder of a limited key. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
let agent: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000', BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	agent = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
	await withdrawOpen(team.server, team.bob);
	await endActivities({ ...team.server, phone: team.ada });
	await endActivities({ ...team.server, phone: team.bob });
	team.server.clock.advance(60);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byOps = () => ({ key: team.ops });
const hook = (body: unknown, headers: Record<string, string> = {}) =>
	send(team.server, '/agent-hook', {
		key: agent,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		headers: { 'content-type': 'application/json', ...headers },
	});
const permission = (tool_name: string, tool_input: object, more: object = {}) => ({
	...{ hook_event_name: 'PermissionRequest', tool_name, tool_input },
	...more,
});
const openOnes = async (phone = team.ada): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
/** The open questions, once there are so many. */
const opened = (count: number) =>
	waitFor(`${count} questions`, async () => {
		const open = await openOnes();
		return open.length === count && team.server.context.questionWaits.size > 0 ? open : undefined;
	});
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;
const choose = (push: any, choice: string) =>
	done(answerOn(team.ada, push.question.question_id, { choice }));

describe('an agent has one thing approved, and gets another', () => {
	it.each(['idempotency-key', 'x-sequence-id', 'x-request-id', 'mcp-session-id'])(
		'by the header %s, which two requests share',
		async (header) => {
			const headers = { [header]: 'the-same' };
			const harmless = hook(permission('Read', { file_path: '/a' }), headers);
			await opened(1);
			const harmful = hook(permission('Bash', { command: 'rm -rf /' }), headers);
			const open = await opened(2);
			const [read] = open.filter(({ message }) => message.includes('/a'));
			const [bash] = open.filter(({ message }) => message.includes('rm -rf /'));
			await choose(read, 'allow');
			await choose(bash, 'deny');
			expect(decisionOf(await harmless)?.behavior).toBe('allow');
			expect(decisionOf(await harmful)?.behavior).toBe('deny');
		},
	);

	it('by options that differ in a blank alone: the tapped one is returned', async () => {
		const options = [{ label: 'Yes' }, { label: 'Yes ' }, { label: 'Yes\u00A0' }];
		const answered = hook(
			permission('AskUserQuestion', { questions: [{ question: 'Q?', options }] }),
		);
		const [push] = await opened(1);
		const titles = push.question.choices.map(({ title }: any) => title);
		expect(new Set(titles).size).toBe(3);
		await choose(push, '3');
		expect(decisionOf(await answered).updatedInput.answers).toEqual({ 'Q?': 'Yes\u00A0' });
	});

	it('by two questions that differ in a blank alone: each has its own answer', async () => {
		const options = [{ label: 'Yes' }, { label: 'No' }];
		const questions = [
			{ question: 'Q?', options },
			{ question: 'Q? ', options },
		];
		const answered = hook(permission('AskUserQuestion', { questions }));
		const [first] = await opened(1);
		await choose(first, '1');
		const second = await waitFor('the second', async () =>
			(await openOnes()).find(({ title }) => title.includes('(2 of 2)')),
		);
		await choose(second, '2');
		const { answers } = decisionOf(await answered).updatedInput;
		expect(answers).toEqual({ 'Q?': 'Yes', 'Q? ': 'No' });
	});

	it.each([
		['a field that is none for JavaScript', '{"command":"ls","__proto__":{"command":"rm"}}'],
		['a field that is none, as an escape', '{"command":"ls","\\u005f_proto__":{"command":"rm"}}'],
		['one that is none within', '{"command":"ls","more":{"__proto__":{"command":"rm"}}}'],
		['what every object has', '{"command":"ls","constructor":{"prototype":{"command":"rm"}}}'],
		['half a character', '{"command":"ls\\ud83d","more":"\\ude00 rm"}'],
		['what ends a text in C', '{"command":"ls\\u0000rm"}'],
	])('by %s: it is shown, or refused', async (_what, input) => {
		const body = `{"hook_event_name":"PermissionRequest","tool_name":"Odd","tool_input":${input}}`;
		const answered = hook(body);
		const status = await Promise.race([
			answered.then((response) => response.status),
			opened(1).then(() => 'asked' as const),
		]);
		expect([400, 'asked']).toContain(status);
		if (status === 400) return;
		const [push] = await opened(1);
		expect(push.message).toContain('rm');
		expect(push.message).not.toMatch(/[\0\p{Cs}]/u);
		await choose(push, 'deny');
		expect(decisionOf(await answered).behavior).toBe('deny');
	});

	it.each([
		['PermissionRequest ', {}],
		['permissionrequest', {}],
		['PermissionRequest', { tool_input: [] }],
		['PermissionRequest', { tool_input: 'rm' }],
		['PermissionRequest', { tool_input: null }],
		['toString', {}],
	])('by the event %j with %j: nothing is decided', async (hook_event_name, more) => {
		const before = (await openOnes()).length;
		const answered = await hook({ ...permission('Bash', {}), hook_event_name, ...more });
		expect([200, 400]).toContain(answered.status);
		expect(decisionOf(answered)).toBeUndefined();
		expect(await openOnes()).toHaveLength(before);
	});

	it('by an end of the session with what ends a text in C: nothing of it fails', async () => {
		for (const event of ['Stop', 'Notification', 'PostToolBatch']) {
			const odd = 'a\0b\uD800';
			const words = { message: odd, title: odd, last_assistant_message: odd, cwd: odd };
			const { status } = await hook({ hook_event_name: event, session_id: odd, ...words });
			expect([event, status]).toEqual([event, 200]);
		}
	});
});

describe('an agent’s tool gets what it was not given', () => {
	const tool = (name: unknown, given: unknown, more: object = {}) =>
		send(team.server, '/mcp', {
			key: team.ops,
			headers: { accept: 'application/json, text/event-stream' },
			body: {
				jsonrpc: '2.0',
				id: 1,
				method: 'tools/call',
				params: { name, arguments: given },
				...more,
			},
		});

	it.each(['toString', '__proto__', 'constructor', 'POST /questions', 'ASK', ' ask'])(
		'by the name %j, which no tool has',
		async (name) => {
			const { status, text } = await tool(name, ASKED);
			expect(status).toBeLessThan(500);
			expect(text).not.toContain('question_id');
			expect(await openOnes()).toEqual([]);
		},
	);

	it.each([
		['a list', [{ ...ASKED }]],
		['a text', JSON.stringify(ASKED)],
		['a target in a text', { ...ASKED, target: '{"channels":["sales"]}' }],
		['channels of a stream', { ...ASKED, channels: ['sales'] }],
		['a key of another', { ...ASKED, authorization: 'Bearer bk_of_another' }],
		['a question’s id', { ...ASKED, question_id: 'x' }],
	])('by arguments that are %s: nobody else is asked', async (_what, given) => {
		const { status, text } = await tool('ask', given);
		expect(status).toBeLessThan(500);
		expect(text).not.toContain('"question_id":"');
		expect([await openOnes(), await openOnes(team.bob)]).toEqual([[], []]);
	});
});

describe('a limited key reaches more by a sibling of what is refused', () => {
	it('by a question on the card of a channel that it shares: its words stay there', async () => {
		const both = { channels: ['ops', 'sales'] };
		await call('PUT', '/live-activity/stream/both', { ...shows('Both'), ...both });
		for (const keep of [true, false]) {
			const live_activity = { stream_key: 'both', keep };
			const asked = await team.server.call(
				'POST',
				'/questions',
				{ ...ASKED, live_activity },
				byOps(),
			);
			expect(asked.status).toBe(403);
		}
		expect(await cardsOn(team.bob)).toEqual(['Both']);
		expect([await openOnes(), await openOnes(team.bob)]).toEqual([[], []]);
	});

	it('by the escalation to its own phone, after that went to another channel', async () => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const escalate = { after_minutes: 1, target: onPhone(team.bob) };
		const target = onPhone(team.ada);
		const { question_id: id } = await call(
			'POST',
			'/questions',
			{ ...ASKED, target, escalate },
			byOps(),
		);
		await team.setChannel('ops', ['Ada']);
		team.server.clock.advance(61);
		await settleDue(team.server.context, questionTimes);
		expect(await openOnes(team.bob)).toEqual([]);
		expect((await answerOn(team.bob, id)).status).toBe(404);
	});

	it('by an Idempotency-Key of its sibling: neither its id nor its answer is told', async () => {
		const sibling = await team.server.addKey(team.server.account.id, ['ops']);
		const headers = { 'idempotency-key': 'shared-by-two' };
		const { question_id: id } = await call('POST', '/questions', ASKED, { ...byOps(), headers });
		const again = await team.server.call('POST', '/questions', ASKED, { key: sibling, headers });
		// One of the same channels gets the kept response, but nothing that it leads to.
		const read = await team.server.call('GET', `/questions/${id}`, undefined, { key: sibling });
		const ended = await team.server.call('DELETE', `/questions/${id}`, undefined, { key: sibling });
		expect([again.status < 500, read.status, ended.status]).toEqual([true, 404, 404]);
		expect(await openOnes()).toHaveLength(1);
	});

	it.each([
		['the list of its questions', 'GET', '/questions'],
		['all streams', 'GET', '/live-activity/streams'],
		['all triggers', 'GET', '/triggers'],
		['all phones', 'GET', '/phones'],
	] as const)('by a cursor of another key, in %s', async (_what, method, path) => {
		for (const name of ['c1', 'c2']) {
			await call('PUT', `/live-activity/stream/${name}`, { ...shows(name), channels: ['sales'] });
			await call('POST', '/questions', { ...ASKED, title: name, target: { channels: ['sales'] } });
		}
		const whole = await call(method, `${path}?limit=1`);
		const next = whole['next'] ?? 'c';
		for (const after of [next, '', '0', "' or 1=1 --"]) {
			const query = `?limit=100&after=${encodeURIComponent(String(after))}`;
			const { status, body } = await team.server.call(method, path + query, undefined, byOps());
			expect(status).toBeLessThan(500);
			const told = JSON.stringify(body);
			expect(told).not.toMatch(/"c[12]"|Phone of Bob|sales/);
		}
	});

	it('by a button that is a trigger written in another way: no tap is taken for it', async () => {
		const trigger = `trg_${'z'.repeat(43)}`;
		const session = 'session-of-n8n-1';
		await call('PUT', `/triggers/${trigger}`, { name: 'Pay', session });
		const base = team.server.context.settings.publicUrl;
		const written = [
			`/api/triggers/${trigger}`,
			`/api/triggers/${trigger}/`,
			`/api/triggers/${trigger}?x=1`,
			`/api/triggers/${trigger}#x`,
			`/api//triggers/${trigger}`,
			`/api/triggers/./${trigger}`,
			`/API/triggers/${trigger}`,
			`/api/%74riggers/${trigger}`,
		];
		for (const path of written) {
			const url = `${base || 'https://beckon.example.com'}${path}`;
			const actions = [{ type: 'webhook', title: 'Pay', url }];
			const { status } = await team.server.call(
				'POST',
				'/push-notification',
				{ title: 'T', actions },
				byOps(),
			);
			if (status !== 200) continue;
			const { id: delivery_id } = (await team.ada.inbox()).at(-1);
			await team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 });
		}
		const { taps } = await call('GET', `/triggers/${trigger}/taps?session=${session}`);
		expect(taps).toEqual([]);
	});

	it('by a metric’s name that leads elsewhere, or the badge of a phone of others', async () => {
		for (const key of ['..%2fbadge', '%2e%2e', 'a%00b', '__proto__', 'constructor'])
			expect([400, 404]).toContain(
				(await team.server.call('POST', `/metrics/${key}/value`, { value: 1 }, byOps())).status,
			);
		const badge = { badge: 7, target: onPhone(team.bob) };
		expect((await team.server.call('POST', '/badge', badge, byOps())).status).toBe(403);
		expect((await team.bob.snapshot()).badge).not.toBe(7);
	});
});
