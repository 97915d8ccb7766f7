import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isShownWhole } from '../../src/contract/categories.ts';
import { PushService } from '../gateways/support/push-service.ts';
import { send } from '../senders/support/send.ts';

import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import {
	answerOn,
	ASKED,
	done,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts between what a phone shows and what is taken from it: by an agent, whose question is not seen whole or ends
 * otherwise than by an answer, and by a phone, which taps what it was not shown or asks for what it has left.
 */

let team: Team;
let agent: string;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => response.end('{}'));
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	agent = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
	await endActivities({ ...team.server, phone: team.ada });
	await team.setChannel('ops', ['Ada']);
	team.server.clock.advance(60);
	receiver.received.length = 0;
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { target: { channels: ['ops'] } };
const hook = (body: object, headers: Record<string, string> = {}) =>
	send(team.server, '/agent-hook', { key: agent, body, headers });
const permission = (tool_input: object, more: object = {}, headers: Record<string, string> = {}) =>
	hook({ hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input, ...more }, headers);
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;
const openOn = async (phone: TestPhone): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ id, push }: any) => ({ id, ...push }))
		.filter(({ question }: any) => question.status === 'open');
/** The questions that are open, once somebody waits for the answer to each. */
const opened = (count = 1) =>
	waitFor('the question', async () => {
		const open = await openOn(team.ada);
		const { size } = team.server.context.questionWaits;
		return open.length === count && size === count ? open : undefined;
	});
const lastPush = async (phone: TestPhone): Promise<any> =>
	(await phone.inbox()).findLast(({ kind }) => kind === 'push');

describe('an agent is allowed what no notification shows as a whole: choices are offered', () => {
	/**
	 * Widths in fonts of the system, measured in Noto Sans: in hundredths of an em; a Latin “a” has 56. All of them are letters,
	 * and none of them is invisible, so the hook and a human review show them as they are.
	 */
	const LETTERS: Record<string, { letter: string; width: number }> = {
		'a letter of Burmese': { letter: '\u102A', width: 245 },
		'a letter of Tamil': { letter: '\u0B94', width: 205 },
		'a letter of Malayalam': { letter: '\u0D10', width: 199 },
		'a letter of Sinhala': { letter: '\u0D8E', width: 170 },
	};
	const COUNT = 80;
	const hidden = (letter: string) => `command: echo ${letter.repeat(COUNT)};rm -rf ~`;

	// Found as medium, and corrected since: these letters were counted like Latin ones.
	it.each(Object.keys(LETTERS))('behind %s', (what) => {
		const { letter, width } = LETTERS[what]!;
		expect((COUNT * width) / 56).toBeGreaterThan(240);
		expect(isShownWhole('Allow Bash?', 'repo', hidden(letter))).toBe(false);
	});

	it('behind tabs, with which lines begin', () => {
		const lines = Array.from({ length: 2 }, () => `${'\t'.repeat(16)}${'x'.repeat(30)}`);
		expect(isShownWhole('Allow Bash?', lines.join('\n'))).toBe(false);
	});

	it('behind a title that is longer than its one line', () => {
		expect(isShownWhole(`Run echo ${'x'.repeat(90)};rm -rf ~?`)).toBe(false);
	});

	it('behind a letter of Burmese, on a Live Activity', async () => {
		const message = hidden('\u102A');
		await call('POST', '/questions', { ...ASKED, message, live_activity: {}, ...toOps });
		const [card] = (await team.ada.snapshot()).activities;
		expect(card).toMatchObject({ content_state: { message } });
		expect(card).not.toHaveProperty('action');
	});

	it('behind a rule for the session that is too long: nobody can allow either', async () => {
		const rules = [{ toolName: 'Bash', ruleContent: 'x'.repeat(16_000) }];
		const rule = { type: 'addRules', behavior: 'allow', rules, destination: 'session' };
		const asking = await permission({ command: 'ls' }, { permission_suggestions: [rule] });
		expect(asking).toMatchObject({ status: 200, body: {} });
		expect((await lastPush(team.ada)).push).not.toHaveProperty('question');
	});

	it('in the second of its questions, which is too long: none is asked', async () => {
		const question = (words: string) => ({ question: words, options: [{ label: 'Yes' }] });
		const questions = [question('Short?'), question('x'.repeat(16_001))];
		const body = { hook_event_name: 'PermissionRequest', tool_name: 'AskUserQuestion' };
		expect(await hook({ ...body, tool_input: { questions } })).toMatchObject({ body: {} });
		expect(await openOn(team.ada)).toEqual([]);
	});
});

describe('an agent’s question is decided by something else than an answer', () => {
	/** What Ada does with it. */
	const DEEDS: Record<string, (push: any) => Promise<unknown>> = {
		'a swipe': ({ id }) => team.ada.call('POST', '/dismissals', { delivery_id: id }),
		'clearing all': ({ id }) => team.ada.call('POST', '/notifications/clear', { up_to: id }),
		'a snooze': ({ id }) =>
			team.ada.call('POST', '/snoozes', { delivery_id: id, until: 'hour', time_zone: 'UTC' }),
		'a tap on a button that it does not have': ({ id }) =>
			team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id: id, action: 0 }),
		'sending it again': ({ question }) =>
			team.olga.call('POST', `/history/${question.question_id}/send`),
	};

	it.each(Object.keys(DEEDS))('%s', async (what) => {
		const asking = permission({ command: 'ls' });
		const [push] = await opened();
		await DEEDS[what]!(push);
		const id = push.question.question_id;
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'open' });
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect(decisionOf(await asking)).toMatchObject({ behavior: 'deny' });
	});

	it.each([
		['Idempotency-Key', '"same"'],
		['X-Sequence-ID', 'same'],
		['TTL', '1'],
	])('the header %s, by which a push is another one, or gone', async (name, value) => {
		const asking = ['ls', 'rm -rf ~'].map((command) =>
			permission({ command }, { session_id: 's' }, { [name]: value }),
		);
		const open = await opened(2);
		team.server.clock.advance(5);
		const idOf = (command: string) =>
			open.find(({ message }) => message === `command: ${command}`).question.question_id;
		await done(answerOn(team.ada, idOf('ls'), { choice: 'allow' }));
		expect(decisionOf(await asking[0]!)).toEqual({ behavior: 'allow' });
		expect(await call('GET', `/questions/${idOf('rm -rf ~')}`)).toMatchObject({ status: 'open' });
		await done(answerOn(team.ada, idOf('rm -rf ~'), { choice: 'deny' }));
		expect(decisionOf(await asking[1]!)).toMatchObject({ behavior: 'deny' });
	});
});

describe('a phone taps what it was not shown', () => {
	const approve = () => ({ title: 'Approve', type: 'webhook', url: receiver.url });
	const report = (what: object) =>
		team.ada.call('POST', '/taps', { tap_id: randomUUID(), ...what });

	it.each([
		['answer'],
		['since'],
		['__proto__'],
		['constructor'],
		['secondary_action'],
		[0],
		[null],
	])('on a card, by the name %j', async (action) => {
		const { activity_id } = await call('POST', '/live-activity/start', {
			...shows('Deploy?'),
			action: approve(),
			...toOps,
		});
		await done(report({ activity_id, action: 'action' }));
		receiver.received.length = 0;
		expect((await report({ activity_id, action })).status).toBeGreaterThanOrEqual(400);
		expect(receiver.received).toEqual([]);
	});

	it.each([[1], [-1], [0.5], ['0'], ['length'], [null]])(
		'on a push, by the number %j',
		async (action) => {
			await call('POST', '/push-notification', {
				title: 'Deploy?',
				actions: [approve()],
				...toOps,
			});
			const { id: delivery_id } = await lastPush(team.ada);
			expect((await report({ delivery_id, action })).status).toBeGreaterThanOrEqual(400);
			expect(receiver.received).toEqual([]);
		},
	);

	it('by the number of what has changed a push, or of a card', async () => {
		await call('POST', '/push-notification', { title: 'Deploy?', actions: [approve()], ...toOps });
		const { id: delivery_id } = await lastPush(team.ada);
		await done(report({ delivery_id, action: 0 }));
		await call('POST', '/live-activity/start', {
			...shows('Deploy?'),
			action: approve(),
			...toOps,
		});
		receiver.received.length = 0;
		const others = (await team.ada.inbox()).filter(({ kind }) => kind !== 'push');
		expect(new Set(others.map(({ kind }) => kind))).toContain('push_update');
		for (const { id } of others)
			expect((await report({ delivery_id: id, action: 0 })).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it.each<[string, object]>([
		['a list of choices', { choice: ['yes'] }],
		['a choice and a text', { choice: 'yes', text: 'no' }],
		['the title of a choice', { choice: 'Approve' }],
		['a choice with a blank', { choice: 'yes ' }],
		['what every object has', { choice: 'constructor' }],
		['nothing', {}],
		['a text, where none is asked', { text: 'yes' }],
	])('as an answer, by %s', async (_what, given) => {
		const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...toOps });
		expect((await answerOn(team.ada, id, given)).status).toBe(400);
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'open' });
	});
});

describe('an iPhone that has left a channel, and registers for a card only then, gets its last words', () => {
	const SECRET = 'Secret';
	const PATH = '/live-activity/stream/late';

	/** How the card ends. */
	const ENDS: Record<string, (id: string) => Promise<unknown>> = {
		'of a stream': () => call('DELETE', PATH, shows(SECRET)),
		'of a stream, by its id': (activity_id) =>
			call('POST', '/live-activity/end', { activity_id, ...shows(SECRET) }),
		'of a stream that changed once more': async () => {
			await call('PUT', PATH, { ...shows(SECRET), channels: ['ops'] });
			return call('DELETE', PATH, shows(SECRET));
		},
		'of a stream that is paused': async () => {
			await done(team.olga.call('POST', '/streams/late/pause'));
			await call('PUT', PATH, { ...shows(SECRET), channels: ['ops'] });
			await done(team.olga.call('POST', '/streams/late/resume'));
			return call('DELETE', PATH, shows(SECRET));
		},
	};

	it.each(Object.keys(ENDS))('%s', async (how) => {
		const name = team.unique('Ida');
		await done(team.olga.call('POST', '/users', { name }));
		const iphone = await team.server.pairPhone({ user: name, platform: 'ios' });
		await team.setChannel('ops', ['Ada', name]);
		const { activity_id: id } = await call('PUT', PATH, { ...shows('Build'), channels: ['ops'] });
		await team.setChannel('ops', ['Ada']);
		await ENDS[how]!(id);
		await done(iphone.call('PUT', `/activities/${id}/token`, { token: 'token' }));
		const inbox = await iphone.inbox();
		expect(inbox.map(({ kind }) => kind)).toEqual(['activity_start', 'activity_end']);
		expect(JSON.stringify(inbox)).not.toContain(SECRET);
		expect(JSON.stringify(await team.ada.inbox())).toContain(SECRET);
	});
});

describe('phones whose push service hangs hold up those of others in their account', () => {
	/** The attempts of an account that are in progress at a time (delivery/webpush/gateway.ts). */
	const MOST = 200;
	/** What hangs is given up after ten seconds, and leaves its place. */
	const GIVEN_UP_MS = 10_000;

	// Found at the lower end of medium, and corrected: a person's phones could keep all places of the account with attempts of
	// ten seconds, and their retries. Now they get half.
	it('by being tried at once: a push to another does not wait', async () => {
		const [hanging, working] = [new PushService(), new PushService()];
		await Promise.all([hanging.listen(), working.listen()]);
		const settings = {
			BECKON_FIRST_ATTEMPT_MS: '20',
			BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
		};
		const { server, ada, bob, ops, sales } = await startTeam(settings);
		working.now = () => server.clock.now;
		let tried = 0;
		hanging.fault = () => {
			tried += 1;
			return 'silence';
		};
		const push = (key: string) =>
			server.call('POST', '/push-notification', { title: 'T' }, { key });
		try {
			await ada.call('PUT', '/tokens', { push_subscription: hanging.subscribe(ada.id) });
			await bob.call('PUT', '/tokens', { push_subscription: working.subscribe(bob.id) });
			await Promise.all(Array.from({ length: MOST }, () => push(ops)));
			await waitFor('half of the places to be taken', () => tried === MOST / 2);
			await push(sales);
			await waitFor('the other push', () => working.received.length === 1, GIVEN_UP_MS);
			expect(tried).toBe(MOST / 2);
		} finally {
			await Promise.all([hanging.close(), working.close()]);
			await server.close();
		}
	});
});
