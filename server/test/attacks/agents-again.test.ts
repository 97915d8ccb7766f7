import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../senders/support/send.ts';
import type { TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, ASKED, done, startTeam, type Team, withdrawOpen } from './support/team.ts';

/** Attempts of an agent by unusual questions and requests, by the order of what happens, and by its tools. */

let team: Team;
let url: string;
/** Sender keys of each channel. Ada and Bob are in `ops`, Bob alone in `sales`. */
let key: string;
let sales: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000' });
	url = await team.server.app.listen({ host: '127.0.0.1', port: 0 });
	key = await team.server.addSenderKey(['ops']);
	sales = await team.server.addSenderKey(['sales']);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada', 'Bob']);
	await withdrawOpen(team.server, team.bob);
});
afterAll(() => team.server.close());
beforeAll(() => team.setChannel('ops', ['Ada', 'Bob']));

const JSON_TYPE = { 'content-type': 'application/json' };
const hook = (body: object | string, by = key, headers: Record<string, string> = {}) =>
	send(team.server, '/agent-hook', {
		key: by,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		headers: { ...JSON_TYPE, ...headers },
	});
const EVENT = { hook_event_name: 'PermissionRequest' };
const permission = (input: object, more: object = {}) => ({
	...EVENT,
	tool_name: 'Bash',
	tool_input: input,
	...more,
});
const openOn = async (phone: TestPhone): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
/** The questions that are open, once there are so many, and each has somebody who waits. */
const opened = (count = 1, phone = team.ada) =>
	waitFor('the questions', async () => {
		const open = await openOn(phone);
		const { size } = team.server.context.questionWaits;
		return open.length === count && size >= count ? open : undefined;
	});
const idOf = ({ question }: any) => question.question_id as string;
const tap = async (push: any, given: object, phone = team.ada) =>
	(await answerOn(phone, idOf(push), given)).body;
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;
const statusOf = async (id: string) =>
	(await team.server.call('GET', `/questions/${id}`)).body['status'];

/** Requires that a request neither asks anybody nor gets a decision. */
async function expectNobodyAsked(answering: ReturnType<typeof hook>) {
	let isOver = false;
	const over = answering.then(() => (isOver = true));
	await waitFor(
		'its end, or a question',
		async () => isOver || (await openOn(team.bob)).length > 0,
	);
	const asked = await openOn(team.bob);
	for (const one of asked) await team.server.call('DELETE', `/questions/${idOf(one)}`);
	await over;
	expect(asked).toEqual([]);
	expect(decisionOf(await answering)).toBeUndefined();
}

const option = (label: string, description?: string) => ({ label, description });
const asks = (...questions: object[]) => ({
	...EVENT,
	tool_name: 'AskUserQuestion',
	tool_input: { questions },
});
const LONG = 'Delete all of the files of the project that nobody has changed since ';

describe('a button of an agent’s question is taken for another', () => {
	it.each<[string, string[]]>([
		['share their first 64 characters', [`${LONG}May`, `${LONG}June`, `${LONG}July`]],
		['are cut in the middle of an emoji', [`${LONG.slice(0, 62)}👩‍🚀`, `${LONG.slice(0, 62)}👩‍🔧`]],
		['differ by what nobody sees', ['Yes', 'Yes\u200B', 'Yes\u00AD', 'Yes\uFE0F']],
		['differ by blanks around them', ['Yes', ' Yes', 'Yes ', '\u00A0Yes']],
		['differ by the way that they are composed', ['caf\u00E9', 'cafe\u0301 ']],
		['are numbers of others', ['2', '1', '4', '3']],
	])('whose options %s', async (_how, labels) => {
		const answered = hook(asks({ question: 'Which?', options: labels.map((one) => option(one)) }));
		const [push] = await opened();
		const titles = push.question.choices.map(({ title }: any) => title);
		expect(new Set(titles).size).toBe(labels.length);
		const { title, id } = push.question.choices[1];
		expect(await tap(push, { choice: id })).toMatchObject({
			question: { answer: { choice: '2' } },
		});
		expect(decisionOf(await answered).updatedInput.answers).toEqual({ 'Which?': labels[1] });
		expect(title).toBe(titles[1]);
	});

	it.each([
		['the same words', 'Delete', 'Delete'],
		['halves of characters, which are none', 'Delete\ud83d', 'Delete\ud83e'],
	])('with two options of %s: the agent could not tell which', async (_how, one, other) => {
		const options = [option(one, 'with a copy'), option(other, 'without one')];
		await expectNobodyAsked(hook(asks({ question: 'How?', options })));
	});

	it('as plain text, whatever its key is made for', async () => {
		const { key: markdown } = await done(
			team.olga.call('POST', '/keys', {
				name: team.unique('Markdown'),
				channels: ['ops'],
				sender: true,
				markdown: true,
			}),
		);
		const question = 'Run `ls`?\n\n[x]: /a "$(rm)"';
		void hook(asks({ question, options: [option('[Yes](javascript:x)')] }), markdown);
		const [push] = await opened();
		expect(push).not.toHaveProperty('markdown');
		expect(push.message).toContain('│ [x]: /a "$(rm)"');
	});

	it('since its words have half a character: the answer is to what was shown', async () => {
		const answered = hook(asks({ question: 'Go\ud83d?', options: [option('Yes'), option('No')] }));
		const [push] = await opened();
		expect(push.message).toMatch(/^Go\ufffd\?/);
		await tap(push, { choice: '2' });
		expect(decisionOf(await answered).updatedInput).toMatchObject({
			questions: [{ question: 'Go\ufffd?' }],
			answers: { 'Go\ufffd?': 'No' },
		});
	});

	it('by a number typed where one is chosen: it stays the words that it is', async () => {
		const answered = hook(
			asks({ question: 'How many?', options: [option('None'), option('All')] }),
		);
		const [push] = await opened();
		await tap(push, { text: '2' });
		expect(decisionOf(await answered).updatedInput.answers).toEqual({ 'How many?': '2' });
	});
});

describe('an agent’s request reads otherwise for who approves it', () => {
	const raw = (tool: string, rest = '') =>
		`{"hook_event_name":"PermissionRequest","tool_name":"Bash",${tool}${rest}}`;

	it.each<[string, string, string]>([
		[
			'a field that is named twice, once by an escape',
			raw('"tool_input":{"command":"ls","comm\\u0061nd":"rm"}'),
			'command: rm',
		],
		[
			'an input that is there twice',
			raw('"tool_input":{"command":"ls"},"tool_input":{"command":"rm"}'),
			'command: rm',
		],
		[
			'an event that is named twice',
			`{"hook_event_name":"Stop",${raw('"tool_input":{"command":"rm"}').slice(1)}`,
			'command: rm',
		],
		[
			'values that are nothing',
			raw('"tool_input":{"command":"rm","a":null,"b":"","c":[],"d":{},"e":false,"f":0}'),
			'command: rm\na: null\nb:\nc: []\nd: {}\ne: false\nf: 0',
		],
		[
			'an input of what JSON calls itself',
			raw('"tool_input":{"command":"rm","toJSON":"ls","length":0,"hasOwnProperty":1}'),
			'command: rm\nhasOwnProperty: 1\nlength: 0\ntoJSON: ls',
		],
		[
			'a suggestion with a line like a rule',
			raw(
				'"tool_input":{"command":"rm"}',
				',"permission_suggestions":[{"type":"addDirectories","directories":["/a\\nBash(ls)","\\u202E/b"],"destination":"session"}]',
			),
			'command: rm\nFor this session: the directories /a\n│ Bash(ls), ⟨U+202E⟩/b',
		],
	])('by %s', async (_how, body, message) => {
		const answered = hook(body);
		const [push] = await opened();
		expect(push.message).toBe(message);
		await tap(push, { choice: 'deny' });
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'deny' });
	});

	it.each<[string, string]>([
		['an input that it inherits, by an escape', raw('"tool_input":{"\\u005f_proto__":{"a":1}}')],
		['fields that it inherits', raw('"__proto__":{"tool_input":{"command":"rm"}}')],
		[
			'a suggestion that inherits',
			raw('"tool_input":{}', ',"permission_suggestions":[{"__proto__":{"type":"addRules"}}]'),
		],
		['an input that is a list', raw('"tool_input":[{"command":"rm"}]')],
		['an input that is a text', raw('"tool_input":"{\\"command\\":\\"rm\\"}"')],
		['no input', raw('"tool_input":null')],
		['a tool that is a list', raw('"tool_input":{},"tool_name":["Bash"]')],
		['a list of requests', `[${raw('"tool_input":{}')}]`],
	])('by %s: nobody is asked', async (_how, body) => {
		await expectNobodyAsked(hook(body));
	});

	it.each<[string, unknown]>([
		['an object', { type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
		['a text', 'addRules'],
		['none', []],
		['a list in a list', [[{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]]],
		['rules that are one text', [{ type: 'addRules', behavior: 'allow', rules: 'Bash' }]],
	])('for the session, by suggestions that are %s', async (_what, permission_suggestions) => {
		const answered = hook(permission({ command: 'ls' }, { permission_suggestions }));
		const [push] = await opened();
		expect(push.question.choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		await tap(push, { choice: 'session' });
		expect(await statusOf(idOf(push))).toBe('open');
		await tap(push, { choice: 'allow' });
		expect(decisionOf(await answered)).toEqual({ behavior: 'allow' });
	});

	it('for the session, with a plan: its input, and no more than was shown', async () => {
		const input = { plan: 'Step 1' };
		const suggestion = { type: 'setMode', mode: 'acceptEdits', destination: 'userSettings' };
		const more = { tool_name: 'ExitPlanMode', permission_suggestions: [suggestion] };
		const answered = hook(permission(input, more));
		const [push] = await opened();
		expect(push.message).toBe('plan: Step 1\nFor this session: all edits of files (acceptEdits)');
		await tap(push, { choice: 'session' });
		expect(decisionOf(await answered)).toEqual({
			behavior: 'allow',
			updatedInput: input,
			updatedPermissions: [{ ...suggestion, destination: 'session' }],
		});
	});

	const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
	it.each<[string, (ops: string) => Record<string, string>]>([
		['a second scheme', (ops) => ({ 'proxy-authorization': `Bearer ${ops}` })],
		['gotify’s header', (ops) => ({ 'x-gotify-key': ops })],
		['a cookie', (ops) => ({ cookie: `key=${ops}; authorization=Bearer ${ops}` })],
		['a name beside its password', (ops) => ({ authorization: basic(`${ops}:${sales}`) })],
		['a longer list', (ops) => ({ authorization: `Bearer ${sales}, Bearer ${ops}` })],
		['a password with another', (ops) => ({ authorization: basic(`x:${sales}:${ops}`) })],
		['an override', () => ({ 'x-http-method-override': 'PUT', 'x-original-url': '/ntfy/ops' })],
	])('on the phones of another channel, by its key in %s', async (_where, headers) => {
		const before = await team.ada.inbox();
		const body = { hook_event_name: 'Notification', message: 'M' };
		await hook(body, sales, headers(key));
		expect(await team.ada.inbox()).toEqual(before);
	});

	it.each(['text/plain', 'application/x-ndjson', 'multipart/form-data; boundary=x'])(
		'as %s: nobody is asked',
		async (type) => {
			await expectNobodyAsked(hook(permission({ command: 'rm' }), key, { 'content-type': type }));
		},
	);
});

describe('what happens in another order allows what nobody allowed', () => {
	it('two people at once: the agent is told the answer that is stored', async () => {
		for (const [ada, bob] of [
			['allow', 'deny'],
			['deny', 'allow'],
		]) {
			const answered = hook(permission({ command: 'rm' }));
			const [push] = await opened();
			await Promise.all([
				tap(push, { choice: ada }, team.ada),
				tap(push, { choice: bob }, team.bob),
			]);
			const { answer } = (await team.server.call('GET', `/questions/${idOf(push)}`)).body;
			expect(decisionOf(await answered)).toMatchObject({ behavior: answer.choice });
		}
	});

	it('a tap in the moment in which its key is revoked: allowed only if it was stored', async () => {
		const own = await team.server.addSenderKey(['ops']);
		const answered = hook(permission({ command: 'rm' }), own);
		const [push] = await opened();
		await Promise.all([
			team.server.revokeKey(team.server.account.id, own),
			tap(push, { choice: 'allow' }),
		]);
		const decision = decisionOf(await answered);
		const status = await statusOf(idOf(push));
		expect(decision === undefined || status === 'answered').toBe(true);
		expect(['answered', 'withdrawn']).toContain(status);
	});

	it('a tap after its key was revoked: nothing is open any more', async () => {
		const own = await team.server.addSenderKey(['ops']);
		const answered = hook(permission({ command: 'rm' }), own);
		const [push] = await opened();
		await team.server.revokeKey(team.server.account.id, own);
		expect((await answered).body).toEqual({});
		expect(await tap(push, { choice: 'allow' })).toMatchObject({ outcome: 'refused' });
		expect(await statusOf(idOf(push))).toBe('withdrawn');
	});

	it('by somebody who has just left, while another may still answer', async () => {
		const answered = hook(permission({ command: 'rm' }));
		const [push] = await opened();
		await team.setChannel('ops', ['Bob']);
		expect(await tap(push, { choice: 'allow' })).toMatchObject({ outcome: 'refused' });
		expect(await statusOf(idOf(push))).toBe('open');
		await tap(push, { choice: 'deny' }, team.bob);
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'deny' });
	});

	it('by a phone that was unpaired, or is another’s since', async () => {
		const lost = await team.server.pairPhone({ user: 'Ada', name: 'Lost' });
		const answered = hook(permission({ command: 'rm' }));
		const [push] = await opened();
		await done(team.olga.call('DELETE', `/devices/${lost.id}`));
		const next = await team.server.pairPhone({ user: 'Ada', name: 'Lost' });
		for (const phone of [lost, next])
			expect((await answerOn(phone, idOf(push), { choice: 'allow' })).status).toBeGreaterThan(400);
		await tap(push, { choice: 'deny' });
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'deny' });
		await next.call('DELETE', '/');
	});

	const two = () =>
		asks(
			{ question: 'First?', options: [option('Yes'), option('No')] },
			{ question: 'Second?', options: [option('Yes'), option('No')] },
		);

	it('the second question reaches who has left after the first', async () => {
		const answered = hook(two());
		const [first] = await opened();
		await team.setChannel('ops', ['Bob']);
		await tap(first, { choice: '1' }, team.bob);
		const [second] = await opened(1, team.bob);
		expect(second.message).toMatch(/^Second/);
		expect(await openOn(team.ada)).toEqual([]);
		expect((await answerOn(team.ada, idOf(second), { choice: '1' })).status).toBe(404);
		await tap(second, { choice: '2' }, team.bob);
		expect(decisionOf(await answered).updatedInput.answers).toEqual({
			'First?': 'Yes',
			'Second?': 'No',
		});
	});

	it('the second question is asked for a client that hung up after the first', async () => {
		const before = (await team.ada.inbox()).filter(({ kind }) => kind === 'push').length;
		const request = openRequest(`${url}/agent-hook`, {
			method: 'POST',
			headers: { ...JSON_TYPE, authorization: `Bearer ${key}` },
		});
		request.on('error', () => undefined).end(JSON.stringify(two()));
		const [first] = await opened();
		request.destroy();
		await waitFor('its end', async () => (await statusOf(idOf(first))) === 'withdrawn');
		expect(await tap(first, { choice: '1' })).toMatchObject({ outcome: 'refused' });
		await waitFor('all waits to end', () => team.server.context.questionWaits.size === 0);
		const pushes = (await team.ada.inbox()).filter(({ kind }) => kind === 'push');
		expect(pushes).toHaveLength(before + 1);
	});

	it('one terminal of a session that runs in two: the end of its tools allows nothing', async () => {
		const session_id = 'resumed-twice';
		const asking = ['ls', 'rm'].map((command) => hook(permission({ command }, { session_id })));
		await opened(2);
		await hook({ hook_event_name: 'PostToolBatch', session_id });
		for (const one of asking) expect((await one).body).toEqual({});
		expect(await openOn(team.ada)).toEqual([]);
	});

	it.each<[string, object]>([
		['without a session', { hook_event_name: 'PostToolBatch' }],
		['of an empty session', { hook_event_name: 'PostToolBatch', session_id: '' }],
		['of a list of sessions', { hook_event_name: 'PostToolBatch', session_id: ['s'] }],
		['of a pattern of sessions', { hook_event_name: 'PostToolBatch', session_id: '%' }],
		['whose tasks are none', { hook_event_name: 'Stop', session_id: 's' }],
		['whose tasks are a text', { hook_event_name: 'Stop', session_id: 's', background_tasks: '' }],
		['of another subagent', { hook_event_name: 'PostToolBatch', session_id: 's', agent_id: 'x' }],
	])('an end %s ends the questions of others', async (_which, end) => {
		const asking = [{}, { session_id: '' }, { session_id: 's' }].map((more) =>
			hook(permission({ command: 'ls' }, more)),
		);
		const open = await opened(3);
		await hook(end);
		expect(await openOn(team.ada)).toHaveLength(3);
		for (const push of open) await tap(push, { choice: 'deny' });
		for (const one of asking) expect(decisionOf(await one)).toMatchObject({ behavior: 'deny' });
	});

	it('a later notification of the session replaces its question', async () => {
		const session_id = 'one-card';
		const answered = hook(permission({ command: 'rm' }, { session_id }));
		const [before] = await opened();
		const news = { session_id, message: 'All is well', title: 'Allow Bash?' };
		await hook({ hook_event_name: 'Notification', notification_type: 'idle_prompt', ...news });
		await hook({ hook_event_name: 'Stop', session_id, background_tasks: [{}] });
		expect(await openOn(team.ada)).toEqual([before]);
		await tap(before, { choice: 'deny' });
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'deny' });
	});
});

describe('a tool of an agent', () => {
	const message = (body: object | string, by: string, headers = {}) =>
		send(team.server, '/mcp', {
			key: by,
			body: typeof body === 'string' ? body : JSON.stringify(body),
			headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream', ...headers },
		});
	const toCall = (name: string, given: unknown, id: number | string = 1) => ({
		jsonrpc: '2.0',
		id,
		method: 'tools/call',
		params: { name, arguments: given },
	});
	const call = async (name: string, given: unknown, by = team.ops) =>
		(await message(toCall(name, given), by)).body;

	it.each(['constructor', '__proto__', 'toString', 'ask ', 'Ask', 'answer', ''])(
		'asks, or answers, by the name %j',
		async (name) => {
			const { result, error } = await call(name, ASKED);
			expect(result?.isError === true || error !== undefined).toBe(true);
			expect(await openOn(team.ada)).toEqual([]);
		},
	);

	it.each<[string, unknown]>([
		['nothing', ''],
		['a list', ['a', 'b']],
		['an object', { id: 'x' }],
		['a query', '?status=open'],
		['a fragment', '#'],
		['a line end', 'a\r\nauthorization: Bearer x'],
		['dots, encoded', '%2e%2e'],
	])('reads or ends another call’s things by an id that is %s', async (_what, id) => {
		const { question_id: other } = await done(
			team.server.call('POST', '/questions', { ...ASKED, target: { channels: ['ops'] } }),
		);
		for (const tool of ['wait_for_answer', 'withdraw_question']) {
			const { result } = await call(tool, { question_id: id });
			expect([tool, result.isError]).toEqual([tool, true]);
			expect(JSON.stringify(result)).not.toContain(other);
		}
		expect(await statusOf(other)).toBe('open');
	});

	it.each<[string, string]>([
		[
			'after one without',
			'"deadline":{"after_seconds":60},"deadline":{"after_seconds":60,"choice":"yes"}',
		],
		['by an escape', '"deadline":{"after_seconds":60,"ch\\u006fice":"yes"}'],
		['beside it', '"deadline":{"after_seconds":60},"deadline.choice":"yes"'],
		['in capitals', '"deadline":{"after_seconds":60,"Choice":"yes"}'],
	])('answers itself by a default that it names %s', async (_how, deadline) => {
		const given = `${JSON.stringify(ASKED).slice(0, -1)},${deadline}}`;
		const body = JSON.stringify(toCall('ask', 'GIVEN')).replace('"GIVEN"', given);
		const { result } = (await message(body, team.ops)).body;
		expect(result.isError).toBe(true);
		expect(await openOn(team.ada)).toEqual([]);
	});

	it('lets somebody answer whom its key does not reach, or learns who there is', async () => {
		const answers = [];
		for (const name of ['Olga', 'Nobody At All'])
			answers.push(
				JSON.stringify(await call('ask', { ...ASKED, answerable_by: [name] })).replaceAll(
					name,
					'X',
				),
			);
		expect(answers[0]).toContain('isError');
		expect(answers[1]).toBe(answers[0]);
		expect(await openOn(team.ada)).toEqual([]);
	});

	it('gets an answer that was given after its key was revoked', async () => {
		const own = await team.server.addKey(team.server.account.id, ['ops']);
		const answered = call('ask', ASKED, own);
		const [push] = await opened();
		await team.server.revokeKey(team.server.account.id, own);
		await tap(push, { choice: 'yes' });
		const told = JSON.stringify(await answered);
		expect(told).not.toContain('"answer"');
		expect(
			(await message(toCall('wait_for_answer', { question_id: idOf(push) }), own)).status,
		).toBe(401);
	});

	it('is cancelled by the number of another call of its session, written otherwise', async () => {
		const session = { 'mcp-session-id': 'session-7' };
		const answered = message(toCall('ask', ASKED, 7), team.ops, session);
		const [push] = await opened();
		for (const requestId of ['7', '07', 7.5, -7])
			await message(
				{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
				team.ops,
				session,
			);
		expect(await openOn(team.ada)).toHaveLength(1);
		await done(answerOn(team.ada, idOf(push), { choice: 'no', tap_id: randomUUID() }));
		expect((await answered).body.result.structuredContent.answer).toMatchObject({ choice: 'no' });
	});

	it('is called with the key of a program, or its key by a hook', async () => {
		expect((await message(toCall('ask', ASKED), key)).status).toBe(401);
		expect((await hook(permission({ command: 'rm' }), team.ops)).status).toBe(401);
		expect(await openOn(team.ada)).toEqual([]);
	});
});
