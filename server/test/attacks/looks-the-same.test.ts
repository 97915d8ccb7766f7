import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { categoriesFor, type Category, readResponse } from '../../../app/src/responses.ts';
import { categoryOf } from '../../src/contract/categories.ts';
import { toForm } from '../../src/delivery/apns/notification.ts';
import { send } from '../senders/support/send.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, done, shows, startTeam, type Team, withdrawOpen } from './support/team.ts';

/**
 * Attempts by what looks the same: an agent's lists in which one entry breaks a rule that the others keep, its requests of the
 * same words, and in the app on an iPhone buttons whose words, or links, count as those of others. Ada alone is in `ops`.
 */

let team: Team;
let key: string;
let receiver: Receiver;
const gateway = new SteeredGateway();
beforeAll(async () => {
	receiver = await startReceiver();
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' }, gateway);
	key = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
	await endActivities({ ...team.server, phone: team.ada });
	receiver.received.length = 0;
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byOps = () => ({ key: team.ops });
const channels = ['ops'];
const webhook = (title: string) => ({ title, type: 'webhook', url: `${receiver.url}/${title}` });

const hook = (body: object) =>
	send(team.server, '/agent-hook', {
		key,
		body: { hook_event_name: 'PermissionRequest', session_id: 's1', ...body },
	});

const shownOnes = async (): Promise<any[]> =>
	(await team.ada.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');

/** Asks, and waits until as many questions are open. */
async function ask(body: object, count = 1) {
	const answer = hook(body);
	const pushes = await waitFor('the question', async () => {
		const shown = await shownOnes();
		return shown.length === count && shown;
	});
	await waitFor('the wait', () => team.server.context.questionWaits.size === count);
	return { answer, push: pushes[0], pushes };
}

/** The decision that the agent gets. */
const decisionOf = async (answer: ReturnType<typeof hook>): Promise<any> =>
	(await answer).body.hookSpecificOutput?.decision;

const tapped = (push: any, given: object) => answerOn(team.ada, push.question.question_id, given);

describe('an agent asks one thing of several, and the rest is not seen', () => {
	const first = { question: 'Which color?', options: [{ label: 'Red' }, { label: 'Blue' }] };
	const labels = (...names: string[]) => names.map((label) => ({ label }));

	it.each<[string, unknown]>([
		['a question without options', [first, { question: 'May I?', options: [] }]],
		['five options', [first, { question: 'May I?', options: labels('1', '2', '3', '4', '5') }]],
		['the same option twice', [first, { question: 'May I?', options: labels('Yes', 'Yes') }]],
		['an option without a label', [first, { question: 'May I?', options: labels('Yes', '') }]],
		['a question without words', [first, { question: '', options: labels('Yes') }]],
		['the same question twice', [first, first]],
		['five questions', ['1', '2', '3', '4', '5'].map((question) => ({ ...first, question }))],
		['a question that is a list', [first, [first]]],
		['a list that is an object', { 0: first, length: 1 }],
	])('beside %s: none is asked, and none is answered', async (_what, questions) => {
		const { status, body } = await hook({
			tool_name: 'AskUserQuestion',
			tool_input: { questions },
		});
		expect({ status, body }).toEqual({ status: 200, body: {} });
		expect(await shownOnes()).toEqual([]);
	});

	it.each([null, '', 0, false])(
		'as Codex, whose turn is %j: its answers are no input of a tool',
		async (turn_id) => {
			const tool_input = { questions: [first] };
			const { answer, push } = await ask({ tool_name: 'AskUserQuestion', tool_input, turn_id });
			expect(push.message).toContain('Which color?');
			await tapped(push, { choice: 'allow' });
			expect(await decisionOf(answer)).toEqual({ behavior: 'allow' });
		},
	);
});

describe('an agent is allowed more for the session than is offered', () => {
	const run = { tool_name: 'Bash', tool_input: { command: 'ls' } };
	const rule = {
		type: 'addRules',
		behavior: 'allow',
		rules: [{ toolName: 'Bash', ruleContent: 'ls:*' }],
		destination: 'localSettings',
	};

	it.each<[string, unknown]>([
		['that takes rules away', { ...rule, type: 'removeRules' }],
		['that replaces rules', { ...rule, type: 'replaceRules' }],
		['that asks, or denies', { ...rule, behavior: 'deny' }],
		['with a field that nobody knows', { ...rule, scope: 'everywhere' }],
		[
			'with a rule that has a field that nobody knows',
			{ ...rule, rules: [{ toolName: 'Bash', negate: true }] },
		],
		['of a mode without limits', { type: 'setMode', mode: 'bypassPermissions', destination: 's' }],
		['of a mode beside rules', { ...rule, type: 'setMode', mode: 'acceptEdits' }],
		['that is no object', null],
	])('beside a suggestion %s: only this once', async (_what, other) => {
		const { answer, push } = await ask({ ...run, permission_suggestions: [rule, other] });
		const { choices } = push.question;
		expect(choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		expect((await tapped(push, { choice: 'session' })).status).toBe(400);
		await tapped(push, { choice: 'allow' });
		expect(await decisionOf(answer)).toEqual({ behavior: 'allow' });
	});

	it.each<[string, object]>([
		['a rule', { ...rule, rules: [{ toolName: 'Bash', ruleContent: 'ls\u202E\u3164:*' }] }],
		[
			'a directory',
			{ type: 'addDirectories', directories: ['/tmp/\u202E\u3164'], destination: 'session' },
		],
	])('by letters of %s that nobody sees', async (_what, suggestion) => {
		const { answer, push } = await ask({ ...run, permission_suggestions: [suggestion] });
		expect(push.message).toContain('⟨U+202E⟩⟨U+3164⟩');
		expect(push.message).not.toMatch(/[\u202E\u3164]/);
		await tapped(push, { choice: 'session' });
		expect(await decisionOf(answer)).toEqual({
			behavior: 'allow',
			updatedPermissions: [{ ...suggestion, destination: 'session' }],
		});
	});
});

describe('two requests that look the same', () => {
	it.each([
		['in one session', {}],
		['in two', { session_id: 's2' }],
		['of a subagent', { agent_id: 'a1' }],
	])('%s: who allows one has not allowed the other', async (_where, other) => {
		const run = { tool_name: 'Bash', tool_input: { command: 'rm -rf build' } };
		const first = await ask(run);
		const second = await ask({ ...run, ...other }, 2);
		const allowed = second.pushes.find(
			({ question }) => question.question_id !== first.push.question.question_id,
		);
		await tapped(allowed, { choice: 'allow' });
		expect(await decisionOf(second.answer)).toEqual({ behavior: 'allow' });
		const open = (await shownOnes()).map(({ question }) => question.question_id);
		expect(open).toEqual([first.push.question.question_id]);
		await tapped(first.push, { choice: 'deny' });
		expect(await decisionOf(first.answer)).toMatchObject({ behavior: 'deny' });
	});
});

describe('a link taps a button in the app that it was not made for', () => {
	const linkKeyOf = (id: string) => `key-of-${id}`;
	beforeAll(() => void Object.assign(team.server.context.settings, { linkKeyOf }));
	afterAll(() => void Object.assign(team.server.context.settings, { linkKeyOf: undefined }));

	const ORDER = 'Delete production?';
	const cardOf = async (stream: string) =>
		(await team.ada.snapshot()).activities.findLast((one: any) => one.stream_key === stream);
	const tap = ({ activity_id, updated_at }: any, more: object, phone = team.ada) =>
		phone.call('POST', '/taps', {
			...{ tap_id: randomUUID(), activity_id, action: 'action', updated_at, ...more },
		});
	const fresh = () => {
		const name = team.unique('link').replace(' ', '-');
		return { name, path: `/live-activity/stream/${name}` };
	};

	/** A card with a button of the key of all channels, and its own link. */
	async function asked() {
		const { name, path } = fresh();
		await call('PUT', path, { ...shows(ORDER), action: webhook('Approve'), channels });
		const card = await cardOf(name);
		team.server.clock.advance(1);
		return { name, path, card, link_key: linkKeyOf(card.activity_id) };
	}

	/** What a limited key, or another page, can know or guess. */
	const GUESSED: Record<string, (key: string, id: string) => string> = {
		'without a key': () => '',
		'with the id of the card': (_key, id) => id,
		'with the beginning of its key': (key) => key.slice(0, -1),
		'with its key, and more': (key) => `${key}=`,
		'with its key in other letters': (key) => key.toUpperCase(),
		'with the key of nothing': () => linkKeyOf(''),
	};

	it.each(Object.keys(GUESSED))('%s', async (how) => {
		const { card, link_key } = await asked();
		const guessed = { link_key: GUESSED[how]!(link_key, card.activity_id) };
		expect((await tap(card, guessed)).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it('with the key of a card that the limited key has itself', async () => {
		const { card } = await asked();
		const own = fresh();
		await call('PUT', own.path, shows('Coffee?'), byOps());
		const { activity_id: ownId } = await cardOf(own.name);
		expect((await tap(card, { link_key: linkKeyOf(ownId) })).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it('with that of the same stream, from before it was shown anew', async () => {
		const { card: before, name, path, link_key } = await asked();
		await call('PUT', path, { content_state: { type: 'value', title: ORDER, value: 1 }, channels });
		const { activities } = await team.ada.snapshot();
		const card = activities.find(
			(one: any) => one.stream_key === name && one.activity_id !== before.activity_id,
		);
		expect((await tap(card, { link_key })).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it('with its own, once the button is another', async () => {
		const { card, path, link_key } = await asked();
		await call('PUT', path, { content_state: {}, action: webhook('Other'), channels });
		expect((await tap(card, { link_key })).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it('with its own, on a phone that does not show it', async () => {
		const { card, link_key } = await asked();
		for (const phone of [team.bob, team.stranger])
			expect((await tap(card, { link_key }, phone)).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it('a second time: it is one tap, whatever key the second has', async () => {
		const { card, link_key } = await asked();
		const tap_id = randomUUID();
		const first = await done(tap(card, { link_key, tap_id }));
		expect(await done(tap(card, { link_key: 'guessed', tap_id }))).toEqual(first);
		expect(receiver.received).toHaveLength(1);
	});

	it('by what a limited key, or a member, is told of the card: the key is in none of it', async () => {
		const { name, path, card, link_key } = await asked();
		const told = [
			await call('PUT', path, { content_state: {} }, byOps()),
			await call('GET', '/live-activity/streams', undefined, byOps()),
			await done(team.max.call('GET', '/live')),
			await done(team.max.call('GET', `/history/${card.activity_id}`)),
			await done(
				team.max.call('POST', '/playground/send', {
					...{ request: 'stream', key: name, body: { content_state: {}, channels } },
				}),
			),
		];
		expect(JSON.stringify(told)).toContain(card.activity_id);
		expect(JSON.stringify(told)).not.toContain(link_key);
	});
});

/** Letters that nobody sees, of which a title may have many. */
const UNSEEN = Array.from({ length: 16 }, (_, index) => String.fromCodePoint(0xfe00 + index));

/** Ada opens the app on her iPhone: it registers the categories of the pushes that she has. */
async function opens(): Promise<Category[]> {
	const categories = categoriesFor(await team.ada.snapshot());
	const app = { layout: 'activity', categories: categories.map(({ id }) => id) };
	expect((await team.ada.call('PUT', '/tokens', { app })).status).toBeLessThan(300);
	return categories;
}

/** Ada taps the button with this word on what her iPhone shows last. @returns the paths that are called */
async function tapsOn(word: string, registered: Category[]): Promise<unknown[]> {
	const shown = gateway.seen.findLast(({ device }) => device.id === team.ada.id)!;
	const app = { bundleId: 'a', activityType: 'A', linkKeyOf: String };
	const { aps } = JSON.parse(`{"beckon":{"delivery_id":1${toForm(shown, app).afterId}`);
	const { titles } = registered.find(({ id }) => id === aps.category)!;
	const index = titles.findIndex((title) => title.replaceAll(/[\uFE00-\uFE0F]/g, '') === word);
	const beckon = { delivery_id: shown.pushDeliveryId ?? shown.id };
	const response = readResponse(`button-${index}`, { aps, beckon });
	if (response.kind !== 'tap') return [];
	const { deliveryId: delivery_id, action } = response;
	await done(team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action }));
	return receiver.received.map(({ path }) => path);
}

/** The button is called, or the app opens. */
const expectNoOther = (word: string, called: unknown[]) =>
	expect([[], [`/${word}`]]).toContainEqual(called);

describe('a limited key writes the words on the button of another, in the app on an iPhone', () => {
	const bytesOf = (text: string) => new TextEncoder().encode(text);

	// FNV-1a, forward and backward: the inverse of its prime, modulo 2^32.
	const hashed = (text: string, from: number) =>
		bytesOf(text).reduce((value, byte) => Math.imul(value ^ byte, 0x01_00_01_93), from);
	const unhashed = (text: string, from: number) =>
		bytesOf(text).reduceRight((value, byte) => Math.imul(value, 0x35_9c_44_9b) ^ byte, from);

	const four = (number: number) =>
		[12, 8, 4, 0].map((bits) => UNSEEN[(number >> bits) & 15]).join('');

	/** Titles that look like these, and are in the category of the others. Undefined: none was found. */
	function inCategoryOf(goal: string[], [first = '', ...more]: string[]): string[] | undefined {
		const [begin, end] = JSON.stringify([`${first}|`, ...more]).split('|') as [string, string];
		const from = hashed(begin, 0x81_1c_9d_c5);
		const ahead = new Map(
			Array.from({ length: 65_536 }, (_, number) => [hashed(four(number), from), number]),
		);
		const to = unhashed(end, hashed(JSON.stringify(goal), 0x81_1c_9d_c5));
		for (let number = 0; number < 1 << 20; number += 1) {
			const rest = four(number & 0xffff) + UNSEEN[number >> 16]!;
			const found = ahead.get(unhashed(rest, to));
			if (found !== undefined) return [first + four(found) + rest, ...more];
		}
		return undefined;
	}

	const idOf = (titles: string[]) => categoryOf(titles.map((title) => ({ title })));

	/** The limited key has sent its buttons before; then another asks. */
	async function called(word: string, asks: string[], by: string[]) {
		const { cursor } = await team.ada.snapshot();
		await done(team.ada.call('POST', '/notifications/clear', { up_to: cursor }));
		const actions = by.map((title) => ({ title, type: 'open_url', url: 'https://example.com' }));
		await call('POST', '/push-notification', { title: 'Lunch menu', actions }, byOps());
		const registered = await opens();
		const push = { title: 'Delete production?', actions: asks.map(webhook), target: { channels } };
		await call('POST', '/push-notification', push);
		return tapsOn(word, registered);
	}

	// Medium (shown with the app's code; not tried on an iPhone): who taps "Decline" approves, in their own name. The id of a category
	// has 32 bits: the second half of contract/categories.ts, categoryOf, follows from the first, and FNV runs backward. The app
	// registers the categories of recent pushes, in place of others of the same id (app/src/responses.ts, categoriesFor), and
	// iOS shows their words on every push that names the id.
	// Fix: categoryOf gives `beckon-${JSON.stringify(titles)}` if that has at most 64 characters, otherwise OTHER_CATEGORY.
	it.failing.each<[string, string[], string[]]>([
		['Decline', ['Approve', 'Decline'], ['Decline', 'Approve']],
		['No', ['Yes', 'No'], ['No', 'Yes']],
		['Cancel', ['Deploy', 'Cancel'], ['Cancel', 'Deploy']],
		['Later', ['Approve', 'Later', 'Decline'], ['Later', 'Approve', 'Decline']],
	])('"%s" of %j', async (word, asks, by) => {
		const titles = inCategoryOf(asks, by) ?? by;
		expectNoOther(word, await called(word, asks, titles));
	});

	it.each<[string, string[]]>([
		['in another order', ['Decline', 'Approve']],
		['with one more', ['Approve', 'Decline', 'Later']],
		['as one', ['Approve","Decline']],
		['with letters that nobody sees', ['Approve\uFE00', 'Decline']],
	])('but not by the same words %s', async (_how, by) => {
		expect(idOf(by)).not.toBe(idOf(['Approve', 'Decline']));
		expect(await called('Decline', ['Approve', 'Decline'], by)).toEqual(['/Decline']);
	});
});

describe('another button is tapped than the one that is shown, in the app on an iPhone', () => {
	const TRIGGER = `trg_${'k'.repeat(43)}`;
	const start = (title: string) => ({
		...webhook(title),
		url: `https://beckon.example.com/api/triggers/${TRIGGER}`,
	});
	beforeAll(() =>
		call('PUT', `/triggers/${TRIGGER}`, { name: 'On it', session: 'session-of-n8n-1' }),
	);

	/** Bob taps the button that starts a workflow, which closes it; then Ada taps the one with this word. */
	async function called(word: string, buttons: string[]) {
		const registered = await opens();
		const actions = buttons.map((title) => (title === 'On it' ? start : webhook)(title));
		const target = { channels: ['ops', 'sales'] };
		await call('POST', '/push-notification', { title: 'Server down', actions, target });
		const [shown] = (await team.bob.snapshot()).notifications;
		gateway.seen.length = 0;
		const first = { delivery_id: shown.id, action: buttons.indexOf('On it') };
		await done(team.bob.call('POST', '/taps', { tap_id: randomUUID(), ...first }));
		await waitFor('the update', () => gateway.seen.some(({ device }) => device.id === team.ada.id));
		return tapsOn(word, registered);
	}

	// Medium: nobody has to attack; a push needs three buttons, of which an earlier one closes with its first tap (the node's
	// default). The app counts the open buttons, the server all of them, so that "Decline" is the number of "Approve".
	// Fix (delivery/apns/notification.ts, toCategory): name the category only if open.every((one, at) => one === actions[at]).
	it.failing.each<[string, string[]]>([
		['Decline', ['On it', 'Approve', 'Decline']],
		['No', ['On it', 'Yes', 'No']],
	])('"%s" of %j', async (word, buttons) => {
		expectNoOther(word, await called(word, buttons));
	});

	it.each<[string, string[]]>([
		['Approve', ['On it', 'Approve', 'Decline']],
		['Decline', ['Approve', 'On it', 'Decline']],
	])('but not with "%s" of %j, for which nothing is called', async (word, buttons) => {
		expectNoOther(word, await called(word, buttons));
	});

	it.each(['Approve', 'Decline'])('nor with "%s", if it stands before', async (word) => {
		expect(await called(word, ['Approve', 'Decline', 'On it'])).toEqual([`/${word}`]);
	});
});
