import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { callConsole, PASSWORD, signedIn } from '../console/support/console.ts';
import { group } from '../senders/support/groups.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import {
	addMember,
	answerOn,
	ASKED,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/** Attempts to hold up the server and others, to come back by what was left, and to speak where another does. */

let team: Team;
/** A sender key of `ops`. */
let program: string;
/** Answers at once, but at /hangs only when released. */
let receiver: Receiver;
const held: Array<() => void> = [];
const release = () => {
	for (const answer of held.splice(0)) answer();
};
beforeAll(async () => {
	receiver = await startReceiver(({ path }, response) => {
		if (path === '/hangs') held.push(() => response.end('{}'));
		else response.end('{}');
	});
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_MCP: '1000000' });
	program = await team.server.addSenderKey(['ops']);
});
afterEach(() => withdrawOpen(team.server, team.ada));
afterAll(async () => {
	await receiver.close();
	await team.server.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { target: { channels: ['ops'] } };
const stateOf = (id: string) => call('GET', `/questions/${id}`);
const JSON_TYPE = { 'content-type': 'application/json' };

/** The open questions on Ada's phone, as pushes. */
const openOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
const titlesOn = async (phone: Team['ada']): Promise<string[]> =>
	(await phone.inbox()).flatMap(({ push }: any) => (push ? [push.title] : []));

describe('a program holds up, or breaks, the server by one message', () => {
	const IT = 'IT';
	const [firing] = group(['critical']).alerts;
	const inGroup = (more: object) => group(['critical'], more as { name?: string });
	// Longer than can be shown: it is not asked, and need not be answered.
	const LONG = 'word '.repeat(4_000);
	const option = { label: 'Yes', description: LONG };
	const permission = (tool_name: string, tool_input: object) => ({
		hook_event_name: 'PermissionRequest',
		tool_name,
		tool_input,
	});
	const alerts = [
		...['groupKey', 'externalURL', 'alerts', 'commonLabels'].map((name) => inGroup({ [name]: IT })),
		...['groupLabels', 'commonAnnotations'].map((name) => inGroup({ [name]: { alertname: IT } })),
		...[{ annotations: { summary: IT } }, { labels: { severity: IT } }, { startsAt: IT }].map(
			(more) => inGroup({ alerts: [{ ...firing, ...more }] }),
		),
		inGroup({ alerts: [{ ...firing, generatorURL: IT, silenceURL: '' }] }),
	];
	/** Messages with each field that is read, and the bytes for which one has room. */
	const PROGRAMS: Record<string, { most: number; bodies: object[] }> = {
		ntfy: {
			most: 60_000,
			bodies: ['title', 'message', 'click', 'icon', 'attach', 'actions', 'tags', 'priority']
				.map((name): object => ({ [name]: IT }))
				.concat([{ tags: [IT] }, { actions: [IT] }, { actions: [{ action: 'http', body: IT }] }])
				.map((fields) => ({ topic: 'ops', ...fields })),
		},
		'gotify/message': {
			most: 60_000,
			bodies: [
				{ message: IT },
				...['title', 'priority', 'extras'].map((name) => ({ message: 'M', [name]: IT })),
				{ message: 'M', extras: { 'client::notification': { click: { url: IT } } } },
			],
		},
		alertmanager: { most: 1_000_000, bodies: alerts },
		grafana: { most: 1_000_000, bodies: alerts },
		'agent-hook': {
			most: 1_000_000,
			bodies: [
				{ hook_event_name: IT },
				{ hook_event_name: 'Stop', last_assistant_message: IT, cwd: '/a' },
				{ hook_event_name: 'Stop', background_tasks: IT },
				{ hook_event_name: 'Notification', message: 'M', title: IT },
				permission('Bash', { command: IT, content: LONG }),
				permission('AskUserQuestion', { questions: [{ question: IT, options: [option] }] }),
			],
		},
	};

	it.each(Object.keys(PROGRAMS))('of %s', async (name) => {
		const { most, bodies } = PROGRAMS[name]!;
		const fill = (text: string) => text.repeat(most / text.length);
		const runs = ['/', ' ', String.raw`\n`, 'a.', ':'];
		// With an end to which the run does not lead.
		const values = runs.map((run) => `"${fill(run)}|"`);
		// An agent asks in its terminal after any error.
		if (name !== 'agent-hook') values.push('['.repeat(20_000) + ']'.repeat(20_000));
		for (const body of bodies)
			for (const value of values) {
				const sent = JSON.stringify(body).replace(`"${IT}"`, () => value);
				const options = { key: program, body: sent, headers: JSON_TYPE };
				const { status } = await send(team.server, `/${name}`, options);
				expect([body, value.slice(0, 3), status < 500]).toEqual([body, value.slice(0, 3), true]);
			}
		await endActivities({ ...team.server, phone: team.ada });
	});
});

describe('a limited key holds up what others do, or one phone', () => {
	const called = (path: string) => receiver.received.filter((one) => one.path === path).length;

	// A key has ten such calls at a time, one that hangs takes ten seconds, and each question has 31 of them within a day,
	// even once its key is revoked. Two questions a minute take all that a key has.
	it('by callbacks to a server that never answers: those of others do not wait', async () => {
		const { server } = team;
		const ask = (path: string, key: string, target = {}) => {
			const callback = { url: receiver.url + path };
			const question = { ...ASKED, ...target, deadline: { after_seconds: 30 }, callback };
			return call('POST', '/questions', question, { key });
		};
		for (let count = 0; count < 10; count += 1) await ask('/hangs', team.ops, toOps);
		server.clock.advance(1);
		await ask('/other', server.account.key, toOps);
		server.clock.advance(1);
		await ask('/stranger', team.strangersKey);
		server.clock.advance(31);
		await settleDue(server.context, questionTimes);
		const settled = settleDue(server.context, callbacks);
		// Accounts come one after the other, by what is due first.
		await waitFor('the callback of another account', () => called('/stranger') === 1);
		const ofOther = called('/other');
		release();
		await settled;
		expect(ofOther).toBe(1);
	});

	it('by the taps of one phone on buttons that take long: those of others still work', async () => {
		const push = async (path: string, phone: Team['ada']) => {
			const actions = [{ title: 'Go', type: 'webhook', url: receiver.url + path }];
			await call('POST', '/push-notification', { title: 'T', actions, target: onPhone(phone) });
			return (await phone.inbox()).at(-1).id as number;
		};
		const tap = async (phone: Team['ada'], delivery_id: number) =>
			done(phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 }));
		let ended = 0;
		const taps: Array<Promise<unknown>> = [];
		for (let count = 0; count < 10; count += 1) {
			const id = await push('/hangs', team.bob);
			taps.push(tap(team.bob, id).finally(() => (ended += 1)));
		}
		await waitFor('all to be called or refused', () => held.length + ended === 10);
		expect(await tap(team.ada, await push('/webhook', team.ada))).toMatchObject({
			outcome: 'called',
		});
		release();
		await Promise.all(taps);
	});

	it('by its cards: it learns that a phone is full, and not of what', async () => {
		for (const title of ['Payroll', 'Merger', 'Layoffs', 'Audit', 'Lawsuit'])
			await call('POST', '/live-activity/start', { ...shows(title), target: onPhone(team.ada) });
		const { status, body } = await team.server.call('POST', '/live-activity/start', shows('Own'), {
			key: team.ops,
		});
		expect({ status, body }).toMatchObject({ status: 429, body: { limit: 5, active: 5 } });
		expect(Object.keys(body).toSorted()).toEqual(['active', 'error', 'limit', 'message']);
		expect(JSON.stringify(body)).not.toMatch(/Payroll|Merger|Layoffs|Audit|Lawsuit/);
		await endActivities({ ...team.server, phone: team.ada });
	});

	it.each(['/gotify/message?token=KEY', '/gotify/massage?token=KEY', '/ntfy/KEY', '/grafana/KEY'])(
		'by an address that shows its key: %s is not repeated to who reads the keys',
		async (url) => {
			const own = await team.server.addSenderKey(['ops']);
			const named = url.replace('KEY', own);
			const { body } = await send(team.server, named, { key: own, body: {} });
			const { body: keys } = await team.max.call('GET', '/keys');
			expect(JSON.stringify(keys)).not.toContain(own);
			if (named.includes('?')) expect(JSON.stringify(body)).not.toContain(own);
		},
	);
});

describe('who has left comes back', () => {
	const enter = async (path: string, body: object) =>
		(await callConsole(team.server, 'POST', path, body)).status;
	const letAttemptsPass = () => team.server.clock.advance(15 * 60);
	const invite = async (email: string) =>
		(await done(team.olga.call('POST', '/invitations', { role: 'member', email })))['token'];
	const joining = (token: string, email: string) => ({
		token,
		email,
		name: team.unique('Again'),
		password: PASSWORD,
	});
	const resetOf = async (memberId: string) =>
		(await done(team.olga.call('POST', `/members/${memberId}/reset-link`)))['token'];
	const NEW = 'another correct horse battery';

	// The owner has to have invited one address twice, and the console lists the other invitation: low.
	it.failing(
		'by the first of two invitations for their address, of which they took the second',
		async () => {
			letAttemptsPass();
			const email = 'twice@example.com';
			const [first, second] = [await invite(email), await invite(email)];
			expect(await enter('/join', joining(second, email))).toBe(200);
			const { members } = await done(team.olga.call('GET', '/members'));
			const { id } = members.find((one: any) => one.email === email);
			await done(team.olga.call('DELETE', `/members/${id}`));
			expect(await enter('/join', joining(first, email))).toBe(404);
		},
	);

	it('by a link to set the password of a member who was removed, and has joined again', async () => {
		letAttemptsPass();
		const email = 'rejoins@example.com';
		const old = await signedIn(team.server, {
			invitedBy: team.olga,
			email,
			name: team.unique('R'),
		});
		const token = await resetOf(old.memberId);
		await done(team.olga.call('DELETE', `/members/${old.memberId}`));
		const anew = await signedIn(team.server, {
			invitedBy: team.olga,
			email,
			name: team.unique('R'),
		});
		expect(await enter('/reset', { token, password: NEW })).toBe(404);
		expect((await anew.call('GET', '/session')).status).toBe(200);
	});

	it('by one from before they set a password of their own', async () => {
		const eve = await addMember(team, 'member');
		const token = await resetOf(eve.memberId);
		const change = { current_password: PASSWORD, password: NEW };
		await done(eve.call('PUT', '/password', change));
		expect(await enter('/reset', { token, password: `${NEW} again` })).toBe(404);
	});

	it('by one from before they took another address: as themselves, with the role of today', async () => {
		const eve = await addMember(team, 'owner');
		const token = await resetOf(eve.memberId);
		const email = `${randomUUID()}@example.com`;
		await done(eve.call('PUT', '/email', { current_password: PASSWORD, email }));
		await done(team.olga.call('PUT', `/members/${eve.memberId}`, { role: 'member' }));
		const { status, body } = await callConsole(team.server, 'POST', '/reset', {
			token,
			password: NEW,
		});
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { member: { id: eve.memberId, email, role: 'member' } },
		});
	});

	it('by a session that they left open, once a link has set their password', async () => {
		const eve = await addMember(team, 'member');
		const token = await resetOf(eve.memberId);
		expect((await eve.call('GET', '/session')).status).toBe(200);
		expect(await enter('/reset', { token, password: NEW })).toBe(200);
		for (const path of ['/session', '/keys', '/questions?status=open'])
			expect([path, (await eve.call('GET', path)).status]).toEqual([path, 401]);
	});

	it('to learn who is there: an invitation tells what it is for, and no more once it is used', async () => {
		letAttemptsPass();
		const email = 'reader@example.com';
		const token = await invite(email);
		const { body } = await callConsole(team.server, 'POST', '/link', { token });
		const { account } = (await team.olga.call('GET', '/session')).body as any;
		expect(body).toEqual({ purpose: 'invite', role: 'member', email, account: account.name });
		expect(await enter('/join', joining(token, email))).toBe(200);
		expect(await enter('/link', { token })).toBe(404);
	});

	it('to the settings of others: a phone changes only its own', async () => {
		const read = async (phone: Team['ada']) => [
			(await phone.call('GET', '/quiet')).body,
			(await phone.call('GET', '/channels')).body,
			{ ...(await phone.snapshot()), server_time: '' },
		];
		const before = await read(team.ada);
		const zone = { time_zone: 'Europe/Berlin' };
		await done(team.bob.call('PUT', '/quiet/mute', { mute: 'hour', ...zone }));
		await done(
			team.bob.call('PUT', '/quiet', {
				hours: null,
				minimum_level: 'critical',
				questions: false,
				...zone,
			}),
		);
		await done(team.bob.call('PUT', '/channels/sales', { muted: true }));
		await done(team.bob.call('PUT', '/preferences', { seen_once: true }));
		await done(team.bob.call('DELETE', '/badge'));
		await done(team.bob.call('POST', '/notifications/clear', { up_to: 999_999_999 }));
		expect(await read(team.ada)).toEqual(before);
	});
});

describe('an agent speaks where another does, or a person', () => {
	const hook = (body: object, key = program) => send(team.server, '/agent-hook', { key, body });
	const permission = (session_id: string, tool_input: object = { command: 'ls' }) => ({
		hook_event_name: 'PermissionRequest',
		tool_name: 'Bash',
		session_id,
		tool_input,
	});
	/** Asks. @returns the answer to the hook, and what is shown */
	async function ask(body: object) {
		const known = new Set((await openOnes()).map(({ question }) => question.question_id));
		const answer = hook(body);
		const push = await waitFor('the question', async () =>
			(await openOnes()).find(({ question }) => !known.has(question.question_id)),
		);
		return { answer, push, id: push.question.question_id as string };
	}
	const message = (sent: object | object[], key = team.ops, headers = {}) =>
		send(team.server, '/mcp', {
			key,
			body: JSON.stringify(sent),
			headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream', ...headers },
		});
	const rpc = (method: string, params: object, id?: string) => ({
		jsonrpc: '2.0',
		method,
		params,
		...(id !== undefined && { id }),
	});
	const asks = (more: object = {}) =>
		rpc('tools/call', { name: 'ask', arguments: { ...ASKED, ...more } }, 'call-1');

	// A tool that takes the text "false" for true would do what nobody saw: low.
	it.failing.each(['false', 'null', '0', '[]'])(
		'by the text %s, which looks like the value',
		async (text) => {
			const { push, answer } = await ask(permission('texts', { force: text }));
			await withdrawOpen(team.server, team.ada);
			await answer;
			expect(push.message).not.toBe(`force: ${text}`);
		},
	);

	it('by the marks of an agent’s session, in a question of an API key: the agent ends only its own', async () => {
		const metadata = { session: 'shared', agent: 'claude-code 2.1.332', returned: 'allowed' };
		const { question_id: id } = await call(
			'POST',
			'/questions',
			{ ...ASKED, metadata },
			{ key: team.ops },
		);
		await hook({ hook_event_name: 'PostToolBatch', session_id: 'shared' });
		await hook({ hook_event_name: 'Stop', session_id: 'shared', background_tasks: [] });
		expect(await stateOf(id)).toMatchObject({ status: 'open' });
	});

	it('by a question that it leaves open: another session still says that it needs somebody', async () => {
		const { answer } = await ask(permission('first'));
		const needs = {
			hook_event_name: 'Notification',
			message: 'Needs you',
			notification_type: 'permission_prompt',
		};
		await hook({ ...needs, session_id: 'first', title: 'Quiet' });
		await hook({ ...needs, session_id: 'second', title: 'Told' });
		await hook({ ...needs, title: 'Also told' });
		const titles = (await titlesOn(team.ada)).join();
		expect(titles).toContain('Coding agent: Told');
		expect(titles).toContain('Coding agent: Also told');
		expect(titles).not.toContain('Quiet');
		await withdrawOpen(team.server, team.ada);
		await answer;
	});

	it.each<[string, object]>([
		['another session', { session_id: 'other', background_tasks: [] }],
		['no list of tasks', { session_id: 'stays' }],
		['a task that runs', { session_id: 'stays', background_tasks: [{}] }],
		['what is no list', { session_id: 'stays', background_tasks: 'none' }],
	])('by a stop with %s: the question stays, and is answered', async (_what, more) => {
		const { answer, id } = await ask(permission('stays'));
		await hook({ hook_event_name: 'Stop', ...more });
		expect(await stateOf(id)).toMatchObject({ status: 'open' });
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect((await answer).body).toMatchObject({
			hookSpecificOutput: { decision: { behavior: 'deny' } },
		});
	});

	it('by several calls in one message: none is made', async () => {
		const before = await titlesOn(team.ada);
		expect((await message([asks(), asks()])).status).toBe(400);
		expect((await message([])).status).toBe(400);
		expect(await titlesOn(team.ada)).toEqual(before);
	});

	it('by a call that it has cancelled before it makes it: no question stays open', async () => {
		const headers = { 'mcp-session-id': 'overtaken' };
		await message(rpc('notifications/cancelled', { requestId: 'call-1' }), team.ops, headers);
		const { body } = (await message(asks(), team.ops, headers)) as any;
		expect(body.result).toMatchObject({ isError: true });
		expect(await openOnes()).toEqual([]);
	});

	it.each(['..', '.', '%2e%2e', '../channels', ['..'], { id: '..' }, 7, '', ' '])(
		'by a tool for the question %j, which leads elsewhere',
		async (question_id) => {
			const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...toOps });
			for (const name of ['wait_for_answer', 'withdraw_question']) {
				const given = rpc('tools/call', { name, arguments: { question_id } }, randomUUID());
				const { body } = (await message(given, team.server.account.key)) as any;
				expect(body.result).toMatchObject({ isError: true });
				expect(JSON.stringify(body)).not.toMatch(/ops|sales|channels"/);
			}
			expect(await stateOf(id)).toMatchObject({ status: 'open' });
		},
	);
});
