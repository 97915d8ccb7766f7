import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isShownWhole } from '../../src/contract/categories.ts';
import { endWords } from '../../web/device/questions.ts';
import { send } from '../senders/support/send.ts';
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
 * Attempts of an agent with calls that are odd: names that are paths, deadlines in other shapes, events that are no events,
 * and letters that are wider than they count.
 */

let team: Team;
let agent: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000', BECKON_RATE_PER_DEVICE: '1000000' });
	agent = await team.server.addSenderKey(['ops']);
	await team.server.addMetric({ key: 'load' });
});
afterEach(() => withdrawOpen(team.server, team.ada));
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byOps = () => ({ key: team.ops });
async function tool(name: string, given: object): Promise<{ isError?: boolean }> {
	const body = { jsonrpc: '2.0', id: randomUUID(), method: 'tools/call' };
	const sent = await send(team.server, '/mcp', {
		key: team.ops,
		body: { ...body, params: { name, arguments: given } },
		headers: { accept: 'application/json, text/event-stream' },
	});
	return sent.body.result ?? { isError: true };
}

describe('a tool is led to another call by the name of a thing', () => {
	/** Paths from the name of a thing to a question, for all that decodes, normalizes or joins them. */
	const NAMES: Record<string, (id: string) => string> = {
		'with dots': (id) => `../../questions/${id}`,
		'with encoded dots': (id) => `%2e%2e/%2e%2e/questions/${id}`,
		'with encoded slashes': (id) => `..%2f..%2fquestions%2f${id}`,
		'with backslashes': (id) => `..\\..\\questions\\${id}`,
		'with a query': (id) => `../../questions/${id}?x=`,
		'with a fragment': (id) => `../../questions/${id}#`,
		'that is a parent': () => '..',
		'that is an address': (id) => `//localhost/api/questions/${id}`,
	};
	const TOOLS: Record<string, (name: string) => object> = {
		end_live_activity: (stream_key) => ({ stream_key, content_state: {} }),
		update_live_activity: (stream_key) => ({ stream_key, ...shows('X') }),
		set_metric: (key) => ({ key, value: 1 }),
		withdraw_question: (question_id) => ({ question_id }),
	};

	const rows = Object.keys(TOOLS).flatMap((name) => Object.keys(NAMES).map((how) => [name, how]));
	it.each(rows)('%s, by one %s', async (name, how) => {
		// Its own key's, so that nothing but the path keeps it from it.
		const asked = { ...ASKED, target: { channels: ['ops'] } };
		const { question_id: id } = await call('POST', '/questions', asked, byOps());
		const before = await team.ada.inbox();
		expect(await tool(name, TOOLS[name]!(NAMES[how]!(id)))).toMatchObject({ isError: true });
		expect(await call('GET', `/questions/${id}`, undefined, byOps())).toMatchObject({
			status: 'open',
		});
		expect(await team.ada.inbox()).toEqual(before);
	});
});

describe('an agent’s tool asks with an answer of its own', () => {
	const choice = 'yes';
	it.each<[string, object]>([
		['in a text', { deadline: JSON.stringify({ after_seconds: 30, choice }) }],
		['in a list', { deadline: [{ after_seconds: 30, choice }] }],
		['by its path', { deadline: { after_seconds: 30 }, 'deadline.choice': choice }],
		['in capitals', { deadline: { after_seconds: 30, Choice: choice } }],
		['as the choice of the question', { deadline: { after_seconds: 30 }, deadline_choice: choice }],
		[
			'in what it inherits',
			JSON.parse(`{"__proto__":{"deadline":{"after_seconds":30,"choice":"yes"}}}`),
		],
		['as an answer', { answer: { choice, by: { user: 'Ada', device: null } } }],
		['as a status', { status: 'answered', choice }],
		['as what is already known', { metadata: {}, fields: { choice } }],
	])('%s: nobody is asked', async (_how, more) => {
		const before = await team.ada.inbox();
		const given = { ...ASKED, target: { channels: ['ops'] } };
		const sent = Object.defineProperties({ ...given }, Object.getOwnPropertyDescriptors(more));
		// One that is asked after all waits for an answer, which nobody gives.
		const answer = await tool('ask', JSON.parse(JSON.stringify(sent)) as object);
		expect(answer).toMatchObject({ isError: true });
		expect(await team.ada.inbox()).toEqual(before);
	});
});

describe('an agent’s hook gets a decision for what is no request', () => {
	it.each([
		...['permissionrequest', 'PermissionRequest ', 'PermissionRequest\u200B', 'constructor'],
		...['__proto__', 'toString', 'PreToolUse', 'PermissionDecision', ''],
	])('by the event %j', async (hook_event_name) => {
		const before = await team.ada.inbox();
		const { body } = await send(team.server, '/agent-hook', {
			key: agent,
			body: { hook_event_name, tool_name: 'Bash', tool_input: { command: 'rm -rf ~' } },
		});
		expect(body).not.toHaveProperty('hookSpecificOutput');
		expect(await team.ada.inbox()).toEqual(before);
	});
});

describe('a notification offers choices beside less than all of a question', () => {
	/**
	 * Widths in Noto Sans, Noto Sans Symbols and DejaVu Sans, in hundredths of an em; a Latin “a” has 56, and a “W” 93. None is
	 * invisible; all belong to the scripts whose letters count as one.
	 */
	const LETTERS: Record<string, [letter: string, width: number]> = {
		'the Roman number VIII': ['\u2167', 162],
		'the Roman number VII': ['\u2166', 128],
		'a letter for two of Croatian': ['\u01C4', 129],
		'a letter of old Cyrillic': ['\u052A', 141],
		'a letter of medieval Latin': ['\uA74E', 136],
		'an Arabic letter of mathematics': ['\u{1EEF1}', 148],
	};

	// Found as low, and corrected.
	it.each(Object.keys(LETTERS))('behind %s', (what) => {
		const [letter, width] = LETTERS[what]!;
		const count = 80;
		expect((count * width) / 56).toBeGreaterThan(180);
		expect(
			isShownWhole('Allow Bash?', 'repo', `command: echo ${letter.repeat(count)};rm -rf ~`),
		).toBe(false);
	});
});

describe('a typed answer passes for a button, as the others see it', () => {
	const typed = { ...ASKED, text: { placeholder: 'Deny, because …' } };
	/** How it ended, on the page of a phone. */
	async function seen(text: string): Promise<string> {
		const target = { channels: ['ops'] };
		const { question_id: id } = await call('POST', '/questions', { ...typed, target }, byOps());
		await done(answerOn(team.ada, id, { text }));
		const { questions } = await team.ada.snapshot();
		const one = questions.find(({ push }: any) => push.question.question_id === id);
		return endWords(one.push.question, team.server.clock.now) ?? '';
	}

	it.each(['Allow', 'Approve: no', 'yes'])('%j: as what it is', async (text) => {
		expect(await seen(text)).toContain(`“${text}” by `);
	});

	// Found as low, and corrected.
	it.each(['approve', 'Accept', 'CONFIRM', 'decline'])('%j: as what it is', async (text) => {
		expect(await seen(text)).toContain(`“${text}” by `);
	});
});
