import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../senders/support/send.ts';
import type { TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import {
	answerOn,
	ASKED,
	done,
	onPhone,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/** Attempts through another door than the one that leads to what is wanted. Ada is in `ops`, Bob in `sales`. */

let team: Team;
/** The sender key of the agent, and that of another program for the same channel. */
let agent: string;
let program: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000' });
	agent = await team.server.addSenderKey(['ops']);
	program = await team.server.addSenderKey(['ops']);
});
afterEach(() => withdrawOpen(team.server, team.ada));
afterAll(() => team.server.close());

const SESSION = '5f0c1e0a-session';
const call = (...args: Parameters<Team['server']['call']>) => team.server.call(...args);
const hook = (more: object = {}, { key = agent, url = '/agent-hook', headers = {} } = {}) => {
	const event = { hook_event_name: 'PermissionRequest', session_id: SESSION };
	const body = { ...event, tool_name: 'Bash', tool_input: { command: 'rm -rf build' }, ...more };
	return send(team.server, url, { key, body, headers });
};
const openOn = async (phone: TestPhone): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
/** The id of the one question that is open, once somebody waits for its answer. */
const opened = () =>
	waitFor('the question', async () => {
		const [one] = await openOn(team.ada);
		const isHeard = team.server.context.questionWaits.size > 0;
		return one && isHeard ? String(one.question.question_id) : undefined;
	});
const decisionOf = ({ body }: { body: any }) => body?.hookSpecificOutput?.decision;
const tool = async (name: string, given: object, key: string, headers = {}): Promise<any> => {
	const params = { name, arguments: given };
	const body = { jsonrpc: '2.0', id: randomUUID(), method: 'tools/call', params };
	const accept = 'application/json, text/event-stream';
	const sent = await send(team.server, '/mcp', { key, body, headers: { accept, ...headers } });
	return sent.body.result;
};

describe('an agent with a second key', () => {
	/** What it can do to the question of its hook, and whether it stays open. */
	const TRIES: Record<string, (id: string) => Promise<unknown>> = {
		'reports a form for it': (id) =>
			call('POST', `/questions/${id}/answer`, { fields: { choice: 'allow' } }),
		'sends a push of the same session': () =>
			call(
				'POST',
				'/push-notification',
				{ title: 'Done', target: { channels: ['ops'] } },
				{ headers: { 'x-sequence-id': SESSION } },
			),
		'clears the session as a program does': () =>
			send(team.server, `/ntfy/ops/${SESSION}`, { method: 'DELETE', key: program }),
		'clears it by its id': (id) =>
			send(team.server, `/ntfy/ops/${id}/clear`, { method: 'PUT', key: program }),
		'stops it as a repeat': (id) => call('DELETE', `/push-notification/repeated/${id}`),
		'ends it as a Live Activity': (id) =>
			call('POST', '/live-activity/end', { activity_id: id, content_state: {} }),
		'withdraws it with a key of its channel': (id) =>
			tool('withdraw_question', { question_id: id }, team.ops),
		'waits for it with a key of its channel': (id) =>
			tool('wait_for_answer', { question_id: id }, team.ops),
		'ends its session with the key of a program': () =>
			hook({ hook_event_name: 'PostToolBatch' }, { key: program }),
	};

	it.each(Object.keys(TRIES))('%s: the decision is still a person’s', async (what) => {
		const answering = hook();
		const id = await opened();
		await TRIES[what]!(id);
		expect((await openOn(team.ada)).map(({ question }) => question.question_id)).toEqual([id]);
		await done(answerOn(team.ada, id, { choice: 'deny' }));
		expect(decisionOf(await answering)).toMatchObject({ behavior: 'deny' });
	});

	it('withdraws it with a key of all channels: nothing is allowed', async () => {
		const answering = hook();
		const id = await opened();
		await tool('withdraw_question', { question_id: id }, team.server.account.key);
		expect((await answering).body).toEqual({});
		expect((await answerOn(team.ada, id, { choice: 'allow' })).body).toMatchObject({
			outcome: 'refused',
		});
	});
});

describe('an agent asks in a way that is not documented', () => {
	const ELSEWHERE: Record<
		string,
		(key: string) => { url?: string; headers?: Record<string, string> }
	> = {
		'in the query, as for ntfy': (key) => ({
			url: `/agent-hook?auth=${Buffer.from(`Bearer ${key}`).toString('base64')}`,
		}),
		'in the query, as for gotify': (key) => ({ url: `/agent-hook?token=${key}` }),
		'in the header of gotify': (key) => ({ headers: { 'x-gotify-key': key } }),
	};

	it.each(Object.keys(ELSEWHERE))('with its key %s: no address has it', async (where) => {
		const { status } = await hook({}, { key: '', ...ELSEWHERE[where]!(agent) });
		expect([status, await openOn(team.ada)]).toEqual([401, []]);
	});

	it.each([[undefined], [null], [''], [' '], [['x']]])(
		'in no session, and ends another’s by the session %j',
		async (session_id) => {
			const answering = hook({ session_id: undefined });
			const id = await opened();
			await hook({ hook_event_name: 'PostToolBatch', session_id });
			await hook({ hook_event_name: 'Stop', session_id, background_tasks: [] });
			await done(answerOn(team.ada, id, { choice: 'allow' }));
			expect(decisionOf(await answering)).toMatchObject({ behavior: 'allow' });
		},
	);

	it('twice by a tool, with one Idempotency-Key: each question has its own answer', async () => {
		const headers = { 'idempotency-key': 'once' };
		const asks = (title: string) => tool('ask', { ...ASKED, title }, team.ops, headers);
		const first = asks('Delete it?');
		await done(answerOn(team.ada, await opened(), { choice: 'yes' }));
		expect((await first).structuredContent.answer).toMatchObject({ choice: 'yes' });
		const second = asks('Delete it?');
		await done(answerOn(team.ada, await opened(), { choice: 'no' }));
		expect((await second).structuredContent.answer).toMatchObject({ choice: 'no' });
	});
});

describe('a member opens what is for owners', () => {
	const spellings = [
		'/audit/',
		'//audit',
		'/AUDIT',
		'/%61udit',
		'/audit;x',
		'/./audit',
		'/x/../audit',
		'/audit%00',
	];
	it.each(spellings)('by the path %s', async (path) => {
		const { status, body } = await team.max.call('GET', path);
		expect(status).toBeGreaterThanOrEqual(400);
		expect(JSON.stringify(body)).not.toContain('member_joined');
		expect((await team.olga.call('GET', '/audit')).status).toBe(200);
	});
});

describe('a phone asks for what is not its own', () => {
	it('by a filter, or a level, for a channel of others: as for one that does not exist', async () => {
		const levels = (slug: string) => ({
			hours: null,
			time_zone: 'Europe/Berlin',
			minimum_level: 'passive',
			channel_levels: { [slug]: 'critical' },
			questions: true,
		});
		await done(
			call('POST', '/push-notification', { title: 'Theirs', target: { channels: ['sales'] } }),
		);
		const tried = async (slug: string) => [
			(await team.ada.call('GET', `/history?channel=${slug}`)).body,
			(await team.ada.call('PUT', '/quiet', levels(slug))).status,
			(await team.ada.call('PUT', `/channels/${slug}`, { muted: true })).status,
		];
		expect(await tried('sales')).toEqual(await tried('nowhere'));
		await done(team.ada.call('PUT', '/quiet', { ...levels('ops'), channel_levels: {} }));
	});

	it.each(['1.7e12', '0x18', ' 1', '-1', '1 or 1=1', '1,2', 'NaN', ''])(
		'by undoing %j',
		async (undo) => {
			await done(call('POST', '/push-notification', { title: 'Gone', target: onPhone(team.ada) }));
			const { id: delivery_id } = (await team.ada.inbox()).at(-1);
			await done(team.ada.call('POST', '/dismissals', { delivery_id }));
			const { status, body } = await team.ada.call('POST', '/notifications/restore', { undo });
			expect(status === 400 || body['restored'] === 0).toBe(true);
			const { notifications } = await team.ada.snapshot();
			expect(notifications.map(({ id }: any) => id)).not.toContain(delivery_id);
		},
	);
});
