import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import { endActivities } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import {
	addMember,
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
 * Attempts where two rules meet: empty lists and the scope of a key, a merge and an open question, a pause and a question's
 * end, a cancelled call and another key's question. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
let agent: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000', BECKON_RATE_PER_DEVICE: '1000000' });
	agent = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await team.setChannel('sales', ['Bob']);
	for (const phone of [team.ada, team.bob]) {
		await withdrawOpen(team.server, phone);
		await endActivities({ ...team.server, phone });
	}
	team.server.clock.advance(60);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byOps = () => ({ key: team.ops });
const streamKey = () => team.unique('stream').replace(' ', '-');
const ask = async (more: object = {}, key = team.ops): Promise<string> =>
	(await call('POST', '/questions', { ...ASKED, ...more }, { key }))['question_id'];
const read = (id: string) => call('GET', `/questions/${id}`);
const titlesOn = async (phone = team.ada) =>
	(await phone.inbox()).map(({ push }: any) => push?.title as string | undefined);

const hook = (body: object, headers: Record<string, string> = {}) =>
	send(team.server, '/agent-hook', { key: agent, body, headers });
const permission = (tool_input: object, more: object = {}) => ({
	...{ hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input },
	...more,
});
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;
/** The only open question of Ada, once the agent waits for it. */
const opened = () =>
	waitFor('the question', async () => {
		const { questions } = await team.ada.snapshot();
		const open = questions.filter(({ push }: any) => push.question.status === 'open');
		return open.length === 1 && team.server.context.questionWaits.size > 0
			? open[0].push
			: undefined;
	});

const rpc = (message: object, key: string, session: string) =>
	send(team.server, '/mcp', {
		key,
		body: { jsonrpc: '2.0', ...message },
		headers: { accept: 'application/json, text/event-stream', 'mcp-session-id': session },
	});
const tool = (name: string, given: object, key = team.ops, session: string = randomUUID()) =>
	rpc({ id: 'call-1', method: 'tools/call', params: { name, arguments: given } }, key, session);

describe('an empty list of channels means everybody', () => {
	type Row = [what: string, method: 'POST' | 'PUT', path: string, body: (list: object) => object];
	const ROWS: Row[] = [
		['of a push', 'POST', '/push-notification', (list) => ({ title: 'E', target: list })],
		['of a question', 'POST', '/questions', (list) => ({ ...ASKED, target: list })],
		['of a badge', 'POST', '/badge', (list) => ({ badge: 3, target: list })],
		['of a start', 'POST', '/live-activity/start', (list) => ({ ...shows('E'), target: list })],
		['of a stream', 'PUT', '/live-activity/stream/empty', (list) => ({ ...shows('E'), ...list })],
		[
			'of a stream’s target',
			'PUT',
			'/live-activity/stream/empty',
			(list) => ({ ...shows('E'), target: list }),
		],
		[
			'of an escalation',
			'POST',
			'/questions',
			(target) => ({ ...ASKED, ...onPhone(team.ada), escalate: { after_minutes: 1, target } }),
		],
		[
			'of a repeat',
			'POST',
			'/push-notification/repeated',
			(target) => ({ push: { title: 'E', target }, repeat: { every_minutes: 1, times: 1 } }),
		],
	];

	it.each(ROWS)('%s: it is refused', async (_what, method, path, body) => {
		const before = await team.storedOf(team.bob);
		for (const key of [team.ops, team.server.account.key])
			for (const channels of [[], [''], ['ops', ''], ['ops', null], 'ops'])
				expect(await team.server.call(method, path, body({ channels }), { key })).toMatchObject({
					status: 400,
				});
		expect(await team.storedOf(team.bob)).toEqual(before);
	});

	it.each(['send_push', 'ask', 'set_badge'])('by the tool %s', async (name) => {
		const before = await team.storedOf(team.bob);
		const given = { send_push: { title: 'E' }, ask: ASKED, set_badge: { badge: 4 } }[name]!;
		const all = team.server.account.key;
		const { body } = await tool(name, { ...given, target: { channels: [] } }, all);
		expect(body.result).toMatchObject({ isError: true });
		expect(await team.storedOf(team.bob)).toEqual(before);
	});
});

describe('an agent’s request is decided, or named, by something beside a person', () => {
	it.each([
		['claude-code_2-1-332_harness; session=s', 'claude-code 2.1.332'],
		['codex-cli 0.171.0 (approved by Olga)', 'codex-cli 0.171.0'],
		['claude-code 1.2', undefined],
		[' claude-code 1.2.3', undefined],
		['Olga claude-code 1.2.3', undefined],
		['claude-code 1234567.2.3', undefined],
	])('by the name %j: the history has %j', async (name, kept) => {
		const answered = hook(permission({ command: 'ls' }), { 'user-agent': name });
		const { question } = await opened();
		await done(answerOn(team.ada, question.question_id, { choice: 'deny' }));
		expect(decisionOf(await answered)).toEqual({
			behavior: 'deny',
			message: 'Ada has denied this.',
		});
		const { metadata } = await waitFor('what was returned', async () => {
			const entry = await done(team.olga.call('GET', `/history/${question.question_id}`));
			return entry['metadata']?.returned ? entry : undefined;
		});
		expect(metadata.agent).toBe(kept);
	});

	it('by who cancels a wait for it, with a key that may read all: it stays open', async () => {
		const answered = hook(permission({ command: 'ls' }));
		const { question } = await opened();
		const [key, session] = [team.server.account.key, 'reads-all'];
		const waits = tool('wait_for_answer', { question_id: question.question_id }, key, session);
		await waitFor('both', () => team.server.context.questionWaits.size === 2);
		const params = { requestId: 'call-1' };
		await rpc({ method: 'notifications/cancelled', params }, key, session);
		await waits;
		expect(await read(question.question_id)).toMatchObject({ status: 'open' });
		await done(answerOn(team.ada, question.question_id, { choice: 'allow' }));
		expect(decisionOf(await answered)).toMatchObject({ behavior: 'allow' });
	});

	it('by its person being merged into another: it is told who that is', async () => {
		const name = team.unique('Uma');
		await done(team.olga.call('POST', '/users', { name }));
		team.server.clock.advance(15 * 60);
		const phone = await team.server.pairPhone({ user: name, name: team.unique('Phone') });
		await team.setChannel('ops', ['Ada', name]);
		const answered = hook(permission({ command: 'ls' }));
		const { question } = await opened();
		await done(
			team.olga.call('POST', `/users/${await team.idOf(name)}/merge`, {
				into: await team.idOf('Ada'),
			}),
		);
		await done(answerOn(phone, question.question_id, { choice: 'deny' }));
		expect(decisionOf(await answered)).toEqual({
			behavior: 'deny',
			message: 'Ada has denied this.',
		});
		await done(phone.call('DELETE', ''));
	});

	it.each([
		['before it began', -60],
		['in a moment', 29],
		['after a month and a day', 31 * 24 * 60 * 60],
	])('by a deadline %s: nobody is asked', async (_when, seconds) => {
		const before = (await team.ada.inbox()).length;
		const at = new Date(team.server.clock.now + seconds * 1_000).toISOString();
		const { body } = await tool('ask', { ...ASKED, deadline: { at } });
		expect(body.result).toMatchObject({ isError: true });
		expect((await team.ada.inbox()).length).toBe(before);
	});

	it('by its deadline, while both questions of a request are open one after another', async () => {
		const options = [{ label: 'A' }, { label: 'B' }];
		const questions = ['First?', 'Second?'].map((question) => ({ question, options }));
		const answered = hook({ ...permission({ questions }), tool_name: 'AskUserQuestion' });
		const first = await opened();
		await done(answerOn(team.ada, first.question.question_id, { choice: '1' }));
		const second = await waitFor('the second', async () => {
			const push = await opened();
			return push.title.includes('2 of 2') ? push : undefined;
		});
		team.server.clock.advance(600);
		await settleDue(team.server.context, questionTimes);
		expect(await read(second.question.question_id)).toMatchObject({ status: 'expired' });
		expect(decisionOf(await answered)).toBeUndefined();
	});
});

describe('a limited key gets more by what another rule leaves', () => {
	it.each([true, false])(
		'by a question on the paused stream of others (kept: %s): that goes on as it was',
		async (keep) => {
			const key = streamKey();
			const path = `/live-activity/stream/${key}`;
			await call('PUT', path, { ...shows(key), channels: ['sales'] });
			await done(team.olga.call('POST', `/streams/${key}/pause`));
			const asked = { ...ASKED, live_activity: { stream_key: key, keep } };
			const { body } = await team.server.call('POST', '/questions', asked, byOps());
			if (body['question_id']) await call('DELETE', `/questions/${body['question_id']}`);
			expect(await titlesOn(team.bob)).not.toContain(ASKED.title);
			await done(team.olga.call('POST', `/streams/${key}/resume`));
			expect((await cardsOn(team.bob)).at(-1)).toBe(key);
			expect(await cardsOn(team.ada)).not.toContain(key);
		},
	);

	it('by a repeat, whose channel gets somebody: they get none of it', async () => {
		const title = team.unique('Again');
		const repeat = { every_minutes: 1, times: 3 };
		await call('POST', '/push-notification/repeated', { push: { title }, repeat }, byOps());
		await team.setChannel('ops', ['Ada', 'Bob']);
		team.server.clock.advance(61);
		await settleDue(team.server.context, repeats);
		expect((await titlesOn()).filter((one) => one === title)).toHaveLength(2);
		expect(await titlesOn(team.bob)).not.toContain(title);
	});

	it('by reminders, after its channel has got somebody: they may not answer', async () => {
		const id = await ask({ remind: { every_minutes: 1, times: 2 } });
		await team.setChannel('ops', ['Ada', 'Bob']);
		team.server.clock.advance(61);
		await settleDue(team.server.context, questionTimes);
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect(await read(id)).toMatchObject({ status: 'open' });
	});

	it('by an escalation to a channel that is then its only one: both may answer once', async () => {
		const both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
		const target = { channels: ['sales'] };
		const more = { target: { channels: ['ops'] }, escalate: { after_minutes: 1, target } };
		const id = await ask({ ...more, answerable_by: ['Bob'] }, both);
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'refused' });
		team.server.clock.advance(61);
		await settleDue(team.server.context, questionTimes);
		expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'refused' });
		expect(await done(answerOn(team.bob, id))).toMatchObject({ outcome: 'answered' });
	});

	it('by tags, or the name of a stream, that every object has: it reaches its own', async () => {
		for (const key of ['__proto__', 'constructor', 'hasOwnProperty', 'null']) {
			const path = `/live-activity/stream/${key}`;
			await call('PUT', path, { ...shows(key), tags: ['constructor'] }, byOps());
			expect(await cardsOn(team.ada)).toContain(key);
			expect(await cardsOn(team.bob)).not.toContain(key);
			const others = await team.server.call('DELETE', path, undefined, { key: team.sales });
			expect(others.status).toBe(403);
			await call('DELETE', path, undefined, byOps());
		}
	});

	it.each([
		['a path of the server', '/api/questions'],
		['another scheme', 'ftp://example.com/x'],
		['what runs', 'javascript:alert(1)'],
		['a file', 'file:///etc/passwd'],
		['a host behind other strokes', 'http:\\\\example.com'],
		['a trigger', `https://localhost/triggers/trg_${'a'.repeat(43)}`],
	])('by a callback to %s: it is refused, or calls nothing here', async (_what, url) => {
		const { status, body } = await team.server.call(
			'POST',
			'/questions',
			{ ...ASKED, callback: { url }, deadline: { after_seconds: 30 } },
			byOps(),
		);
		if (status === 400) return;
		team.server.clock.advance(31);
		await settleDue(team.server.context, questionTimes);
		await settleDue(team.server.context, callbacks);
		const { callback_status: told } = await read(String(body['question_id']));
		expect(['not_allowed', 'uncalled']).toContain(told);
	});
});

describe('a colleague, or a phone, decides more than it may', () => {
	it('by a person who is called like what answers by itself: the answer says a person', async () => {
		for (const name of ['deadline', 'form']) {
			await done(team.olga.call('POST', '/users', { name }));
			team.server.clock.advance(15 * 60);
			const phone = await team.server.pairPhone({ user: name, name: 'Console' });
			await team.setChannel('ops', [name]);
			const id = await ask();
			await done(answerOn(phone, id));
			const { answer } = await read(id);
			expect(answer.by).toEqual({ user: name, device: 'Console' });
			await done(phone.call('DELETE', ''));
		}
	});

	it.each([
		['with a name for the mailbox', (email: string) => email.replace('@', '+x@')],
		['with a dot at the end', (email: string) => `${email}.`],
		['in letters of another width', (email: string) => email.replace('a', 'ａ')],
		['with a Cyrillic letter', (email: string) => email.replace('e', 'е')],
		['with a second address', (email: string) => `${email},eve@example.com`],
		['with a line', (email: string) => `${email}\neve@example.com`],
	])('by an invitation of another, %s', async (_how, change) => {
		team.server.clock.advance(15 * 60);
		const email = `${team.unique('ade').replace(' ', '')}@example.com`;
		const { token } = await done(team.olga.call('POST', '/invitations', { role: 'owner', email }));
		const given = { token, name: team.unique('Eve'), password: 'correct horse battery staple' };
		const joined = await team.max.call('POST', '/join', { ...given, email: change(email) });
		expect([400, 409]).toContain(joined.status);
		expect(await team.max.call('POST', '/join', { ...given, email })).toMatchObject({
			status: 200,
		});
	});

	it('by clearing up to what is yet to come: that is shown', async () => {
		const up_to = Number.MAX_SAFE_INTEGER;
		await call('POST', '/push-notification', { title: 'Before' }, byOps());
		await done(team.ada.call('POST', '/notifications/clear', { up_to }));
		await call('POST', '/push-notification', { title: 'After' }, byOps());
		const shown = (await team.ada.snapshot()).notifications.map(({ push }: any) => push.title);
		expect(shown).toEqual(['After']);
	});

	it('by answering as a member who became one with an open question’s phone', async () => {
		const id = await ask({}, team.sales);
		const eve = await addMember(team, 'owner');
		const answer = { choice: 'yes' };
		const first = await eve.call('POST', `/questions/${id}/answer`, answer);
		expect(first.body['outcome'] === 'refused' || first.status >= 400).toBe(true);
		// Their own new phone, in the channel, got nothing.
		const { body } = await eve.call('GET', '/session');
		const user = (body as any).member.user as string;
		team.server.clock.advance(15 * 60);
		const phone = await team.server.pairPhone({ user, name: team.unique('Phone') });
		await team.setChannel('sales', ['Bob', user]);
		const second = await eve.call('POST', `/questions/${id}/answer`, answer);
		expect(second.body['outcome'] === 'refused' || second.status >= 400).toBe(true);
		expect((await answerOn(phone, id)).status).toBe(404);
		expect(await read(id)).toMatchObject({ status: 'open' });
		await done(phone.call('DELETE', ''));
	});

	it('by a tap on what has no button: a badge, a summary, a question', async () => {
		await call('POST', '/badge', { badge: 7 }, byOps());
		const badge = (await team.ada.inbox()).at(-1);
		const id = await ask();
		const asked = (await team.ada.inbox()).at(-1);
		for (const { id: delivery_id } of [badge, asked])
			for (const action of [0, 1, 3]) {
				const tap = { tap_id: randomUUID(), delivery_id, action };
				expect((await team.ada.call('POST', '/taps', tap)).status).toBe(404);
			}
		expect(await read(id)).toMatchObject({ status: 'open' });
	});
});
