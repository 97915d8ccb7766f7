import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isShownWhole } from '../../src/contract/categories.ts';
import { Later } from '../../src/service/later/later.ts';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { send } from '../senders/support/send.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, done, onPhone, startTeam, type Team, withdrawOpen } from './support/team.ts';

/**
 * Attempts with what is wider than it counts, later than it should be, or written otherwise: by an agent, a colleague, a
 * phone, and a key whose phones do not answer.
 */

let team: Team;
let agent: string;
let receiver: Receiver;
const gateway = new SteeredGateway();
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => response.end('{}'));
	team = await startTeam(
		{ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_MCP: '1000000' },
		gateway,
	);
	agent = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
	await endActivities({ ...team.server, phone: team.ada });
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toAda = () => ({ target: onPhone(team.ada) });
const JSON_TYPE = { 'content-type': 'application/json' };
const hook = (body: object | string) =>
	send(team.server, '/agent-hook', {
		key: agent,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		headers: JSON_TYPE,
	});
const openOn = async (phone: TestPhone): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
/** The one question that is open, once somebody waits for its answer. */
const opened = () =>
	waitFor('the question', async () => {
		const [one] = await openOn(team.ada);
		return one && team.server.context.questionWaits.size > 0 ? one : undefined;
	});
const permission = (tool_name: string, tool_input: object, more: object = {}) =>
	hook({ hook_event_name: 'PermissionRequest', tool_name, tool_input, ...more });
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;

/** Columns of a fixed-width font, in which Latin letters have one: at least so many. */
const WIDE: Record<string, { filler: string; columns: number }> = {
	'letters of double width': { filler: '漢', columns: 2 },
	'Latin letters of double width': { filler: 'Ａ', columns: 2 },
	'a letter that is a whole sentence': { filler: '\uFDFD', columns: 9 },
	'a cuneiform letter': { filler: '\u{12219}', columns: 6 },
	'a dash of three': { filler: '\u2E3B', columns: 3 },
};

describe('a choice is offered beside less than all of a question', () => {
	const COUNT = 80;
	const hidden = (filler: string) => `command: echo ${filler.repeat(COUNT)};rm -rf ~`;

	it.each(Object.keys(WIDE))('behind %s', (what) => {
		const { filler, columns } = WIDE[what]!;
		expect(COUNT * columns).toBeGreaterThan(120);
		expect(isShownWhole('Allow Bash?', 'repo', hidden(filler))).toBe(false);
	});

	it('on a card, behind a letter that is a whole sentence', async () => {
		const choices = [
			{ id: 'yes', title: 'Allow' },
			{ id: 'no', title: 'Deny' },
		];
		const message = hidden('\uFDFD');
		await call('POST', '/questions', {
			title: 'Run?',
			message,
			choices,
			live_activity: {},
			...toAda(),
		});
		const [card] = (await team.ada.snapshot()).activities;
		expect(card).toMatchObject({ content_state: { title: 'Run?' } });
		expect(card).not.toHaveProperty('action');
	});
});

describe('an agent is allowed more for the session than is shown', () => {
	const rule = (toolName: string, ruleContent?: string) => ({
		type: 'addRules',
		behavior: 'allow',
		rules: [{ toolName, ruleContent }],
		destination: 'localSettings',
	});
	const directories = (...names: string[]) => ({
		type: 'addDirectories',
		directories: names,
		destination: 'session',
	});

	it.each<[string, object, string]>([
		['a tool whose name has two lines', rule('Read\nBash'), 'Read\n│ Bash'],
		['a rule behind many blanks', rule('Bash', `ls${' '.repeat(40)}*`), 'Bash(ls⟨40 × U+0020⟩*)'],
		['a rule that reads backwards', rule('Bash', 'ls\u202E*'), 'Bash(ls⟨U+202E⟩*)'],
		['a rule of nothing, which is the whole tool', rule('Bash', ''), 'Bash'],
		[
			'a directory with blank lines',
			directories('a\n\n\n/'),
			'the directories a\n│ ⟨2 blank lines⟩\n│ /',
		],
		['a directory of a tab', directories('\t'.repeat(20)), 'the directories ⟨20 × U+0009⟩'],
	])('by %s', async (_what, suggestion, shown) => {
		const asking = permission('Bash', { command: 'ls' }, { permission_suggestions: [suggestion] });
		const push = await opened();
		expect(push.message).toBe(`command: ls\nFor this session: ${shown}`);
		await done(answerOn(team.ada, push.question.question_id, { choice: 'session' }));
		expect(decisionOf(await asking)).toEqual({
			behavior: 'allow',
			updatedPermissions: [{ ...JSON.parse(JSON.stringify(suggestion)), destination: 'session' }],
		});
	});

	it.each<[string, object]>([
		['what denies, beside it', { ...rule('Bash'), behavior: 'deny' }],
		['a field that is not shown', { ...rule('Bash'), then: 'bypassPermissions' }],
		[
			'a mode that asks nothing',
			{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
		],
		[
			'the removal of a rule',
			{ type: 'removeRules', rules: [{ toolName: 'Bash' }], behavior: 'deny' },
		],
	])('by %s: then it is not offered at all', async (_what, other) => {
		const permission_suggestions = [rule('Bash', 'ls'), other];
		const asking = permission('Bash', { command: 'ls' }, { permission_suggestions });
		const push = await opened();
		expect(push.question.choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		const id = push.question.question_id;
		expect((await answerOn(team.ada, id, { choice: 'session' })).status).toBe(400);
		await done(answerOn(team.ada, id, { choice: 'allow' }));
		expect(decisionOf(await asking)).toEqual({ behavior: 'allow' });
	});
});

describe('an agent’s tool answers by itself', () => {
	it.each([
		['named by an escape', '"deadline":{"after_seconds":30,"ch\\u006fice":"yes"}'],
		[
			'in a deadline that is given twice',
			'"deadline":{"after_seconds":30},"deadline":{"at":"2099-01-01T00:00:00Z","choice":"yes"}',
		],
		[
			'beside a deadline named by an escape',
			'"dead\\u006cine":{"after_seconds":30,"choice":"yes"}',
		],
	])('with a default that is %s', async (_how, deadline) => {
		const asked = `"title":"Deploy?","choices":[{"id":"yes","title":"Yes"}],${deadline}`;
		const params = `{"name":"ask","arguments":{${asked}}}`;
		const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
		const key = team.server.account.key;
		const sent = await send(team.server, '/mcp', {
			key,
			body,
			headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
		});
		expect(sent.body).toMatchObject({ result: { isError: true } });
		expect(await openOn(team.ada)).toEqual([]);
	});

	it('with a default that its deadline inherits: nobody has one', async () => {
		const asked = '"title":"Deploy?","choices":[{"id":"yes","title":"Yes"}]';
		const deadline = '"deadline":{"after_seconds":30,"__proto__":{"choice":"yes"}}';
		const params = `{"name":"ask","arguments":{${asked},${deadline}}}`;
		const body = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}`;
		const key = team.server.account.key;
		const asking = send(team.server, '/mcp', {
			key,
			body,
			headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
		});
		const isRefused = await Promise.race([asking.then(() => true), opened().then(() => false)]);
		if (!isRefused) {
			const [{ question }] = await openOn(team.ada);
			expect(question).not.toHaveProperty('deadline_choice');
			await call('DELETE', `/questions/${question.question_id}`);
		}
		expect(JSON.stringify((await asking).body)).not.toContain('deadline_choice');
	});
});

describe('a colleague passes for another', () => {
	it.each<[string, string]>([
		['as they are', 'Olga'],
		['in capitals', 'OLGA'],
		['with blanks', ' Olga '],
		['with a letter that nobody sees', 'Ol\u200Bga'],
		['with a Cyrillic letter', 'Olgа'],
		['in letters of another width', 'Ｏｌｇａ'],
		['as nobody', ' '],
	])('by a pairing code for their name, written %s', async (_how, name) => {
		const olga = (await team.olga.call('GET', '/session')).body['member'].user;
		const user = name.replace('Olga', olga);
		const { status, body } = await team.max.call('POST', '/devices/pair-code', { user });
		expect([status >= 400, body]).toEqual([
			true,
			expect.not.objectContaining({ code: expect.anything() }),
		]);
	});

	it('by withdrawing what only others may answer, though it is on their phone', async () => {
		team.server.clock.advance(15 * 60);
		const phone = await team.server.pairPhone({ user: 'Max', name: 'Phone of Max' });
		const asked = { title: 'Pay?', choices: [{ id: 'yes', title: 'Yes' }], answerable_by: ['Ada'] };
		const { question_id: id } = await call('POST', '/questions', asked);
		expect(await openOn(phone)).toHaveLength(1);
		expect((await team.max.call('DELETE', `/questions/${id}`)).status).toBe(403);
		expect(
			(await team.max.call('POST', `/questions/${id}/answer`, { choice: 'yes' })).body,
		).toMatchObject({ outcome: 'refused' });
		expect((await answerOn(phone, id)).body).toMatchObject({ outcome: 'refused' });
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'open' });
		await done(team.olga.call('DELETE', `/devices/${phone.id}`));
	});
});

describe('a phone that was off acts on a push that its sender', () => {
	const PATH = '/push-notification';
	const TAKEN_BACK: Record<string, (id: string) => Promise<unknown>> = {
		'has replaced': (id) =>
			call('POST', PATH, { title: 'Pay € 9?', ...toOps }, { headers: { 'x-sequence-id': id } }),
		'has cleared': (id) => send(team.server, `/ntfy/ops/${id}`, { key: agent, method: 'DELETE' }),
	};
	const toOps = { target: { channels: ['ops'] } };
	async function takenBack(how: string) {
		const id = `pay-${randomUUID()}`;
		const title = team.unique('Pay € 900?');
		const actions = [{ title: 'Pay', type: 'webhook', url: receiver.url }];
		const push = { title, actions, ...toOps };
		await call('POST', PATH, push, { headers: { 'x-sequence-id': id } });
		const delivery = (await team.ada.inbox()).at(-1);
		expect(delivery.push.title).toBe(title);
		await TAKEN_BACK[how]!(id);
		return { title, delivery_id: delivery.id as number };
	}
	const shown = async () =>
		(await team.ada.snapshot()).notifications.map(({ push }: any) => push.title);

	// Low: it approves what it shows, and the sender has no promise but that the push leaves the phones; still, what is
	// taken back is decided. Fix: `takeOff` (service/sending/sequences.ts) closes the buttons of the message.
	it.failing.each(Object.keys(TAKEN_BACK))('%s, by its button', async (how) => {
		const { delivery_id } = await takenBack(how);
		const before = receiver.received.length;
		await team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 });
		expect(receiver.received.length).toBe(before);
	});

	// Low: only on the phones of who snoozes. Fix: `snoozePush` (service/phones/snoozes.ts) keeps no snooze of a delivery
	// that was dismissed before.
	it.failing.each(Object.keys(TAKEN_BACK))('%s, by a snooze: it comes back', async (how) => {
		const { title, delivery_id } = await takenBack(how);
		const later = { delivery_id, until: 'hour', time_zone: 'Europe/Berlin' };
		await team.ada.call('POST', '/snoozes', later);
		team.server.clock.advance(60 * 60);
		await settleDue(team.server.context, snoozes);
		expect(await shown()).not.toContain(title);
	});
});

describe('phones whose push service never answers hold up those of another account', () => {
	/** Deliveries of one account under way, with which no more of it are claimed (delivery/outbox.ts). */
	const MOST = 2_000;
	/** What a request waits for a first attempt: then it goes on anyway. */
	const FIRST_ATTEMPT_MS = 60_000;

	it('by being too many: their retries wait', async () => {
		const { server, ada, stranger, strangersKey } = team;
		const release: Array<() => void> = [];
		let failures = 0;
		gateway.answer = ({ device }) => {
			if (device.id === ada.id)
				return new Promise((resolve) =>
					release.push(() => resolve({ kind: 'refused', reason: '' })),
				);
			if (device.id !== stranger.id || failures > 0) return undefined;
			failures += 1;
			return { kind: 'retry', reason: 'It is busy' };
		};
		const attempts = () => gateway.seen.filter(({ device }) => device.id === stranger.id).length;
		const { outbox } = server.context;
		try {
			outbox.start();
			const before = attempts();
			await call('POST', '/push-notification', { title: 'Retried' }, { key: strangersKey });
			await outcomesRecorded(server);
			const pushes: Array<Promise<unknown>> = [];
			// As many at a time as a busy PostgreSQL stores before it refuses them.
			while (pushes.length < MOST) {
				for (let count = 0; count < 100; count += 1)
					pushes.push(server.call('POST', '/push-notification', { title: 'T' }, { key: team.ops }));
				await waitFor('all to be under way', () => release.length >= pushes.length);
			}
			server.clock.advance(60);
			outbox.wake();
			await waitFor('the retry', () => attempts() - before === 2);
			await Promise.all(pushes);
		} finally {
			gateway.answer = undefined;
			for (const end of release) end();
			await outbox.stop();
			// Passive again.
			await outbox.runOnce();
		}
	});

	it('by a repeat: theirs wait until it was tried', async () => {
		const slow = new SteeredGateway();
		const other = await startTeam({ BECKON_FIRST_ATTEMPT_MS: `${FIRST_ATTEMPT_MS}` }, slow);
		const { server, ada, stranger, ops, strangersKey } = other;
		const later = new Later(server.context, [repeats], (error) => {
			throw error as Error;
		});
		const attempts = ({ id }: TestPhone) =>
			slow.seen.filter(({ device }) => device.id === id).length;
		const body = { push: { title: 'Again' }, repeat: { every_minutes: 1, times: 1 } };
		let release: () => void = () => undefined;
		try {
			for (const key of [ops, strangersKey]) {
				await done(server.call('POST', '/push-notification/repeated', body, { key }));
				server.clock.advance(1);
			}
			slow.answer = ({ device }) =>
				device.id === ada.id
					? new Promise((resolve) => (release = () => resolve({ kind: 'refused', reason: '' })))
					: undefined;
			server.clock.advance(58);
			void later.runOnce();
			await waitFor('the first to be tried', () => attempts(ada) === 2);
			server.clock.advance(1);
			const look = () => {
				void later.runOnce();
				return attempts(stranger) === 2;
			};
			await waitFor('theirs', look, FIRST_ATTEMPT_MS);
		} finally {
			release();
			await later.stop();
			await server.close();
		}
	});
});
