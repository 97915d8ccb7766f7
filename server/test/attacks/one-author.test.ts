import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Console } from '../console/support/console.ts';
import { send } from '../senders/support/send.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, ASKED, done, shows, startTeam, type Team } from './support/team.ts';

/**
 * Attempts where two count as one author of a card, or one thing of it as no part of its words: its clock, members who all
 * send from the Playground, and a webhook that answers late; and to read what only the author knows. Ada alone is in `ops`.
 */

let team: Team;
let receiver: Receiver;
/** Calls of webhooks that wait for their response, while `isSlow`. */
const held: ServerResponse[] = [];
let isSlow = false;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => {
		if (isSlow) held.push(response);
		else response.end('{}');
	});
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_MCP: '1000000' });
});
afterEach(async () => {
	isSlow = false;
	for (const response of held.splice(0)) response.end('{}');
	await endActivities({ ...team.server, phone: team.ada });
	await endActivities({ ...team.server, phone: team.bob });
	later(60);
	receiver.received.length = 0;
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const later = (seconds = 1) => team.server.clock.advance(seconds);
const byOps = () => ({ key: team.ops });
const approve = (path = '') => ({
	...{ title: 'Approve', type: 'webhook', url: `${receiver.url}${path}` },
});
const channels = ['ops'];
const ORDER = 'Delete production?';
const COFFEE = 'Coffee?';
/** The newest card of a stream. */
const cardOf = async (key: string) =>
	(await team.ada.snapshot()).activities
		.filter((one: any) => one.stream_key === key)
		.sort((a: any, b: any) => Date.parse(b.started_at) - Date.parse(a.started_at))
		.at(0);
const tap = ({ activity_id, updated_at }: any) =>
	team.ada.call('POST', '/taps', {
		...{ tap_id: randomUUID(), activity_id, action: 'action', updated_at },
	});
const fresh = () => {
	const key = team.unique('author').replace(' ', '-');
	return { key, path: `/live-activity/stream/${key}` };
};
type Stream = ReturnType<typeof fresh>;
type IdOfCard = { activity_id: string };

async function byTool(given: object) {
	const params = { name: 'update_live_activity', arguments: given };
	const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
	const headers = { accept: 'application/json, text/event-stream' };
	const { status } = await send(team.server, '/mcp', { key: team.ops, body, headers });
	expect(status).toBe(200);
}

/** What a member sends from the Playground. */
const played = (who: Console, request: string, sent: object) =>
	who.call('POST', '/playground/send', { request, ...sent });

describe('somebody approves beside a clock that a limited key has set', () => {
	const MINUTES_10 = { duration_seconds: 600 };

	/** The key of all channels asks, for ten minutes, of which five have passed. */
	async function asked(): Promise<Stream & { before: unknown }> {
		const stream = fresh();
		const state = { type: 'timer', title: ORDER, ...MINUTES_10 };
		await call('PUT', stream.path, { content_state: state, action: approve(), channels });
		const card = await cardOf(stream.key);
		later(300);
		return { ...stream, before: card.content_state.timer };
	}

	/** @returns what is called by a tap, if the clock is another one by then */
	async function misled({ key, before }: Stream & { before: unknown }) {
		later();
		const card = await cardOf(key);
		await tap(card);
		return JSON.stringify(card.content_state.timer) === JSON.stringify(before)
			? []
			: receiver.received;
	}

	type Way = (stream: Stream) => Promise<unknown>;

	const BEGINS_ANEW: Record<string, Way> = {
		'by the key of the stream': ({ path }) =>
			call('PUT', path, { content_state: MINUTES_10 }, byOps()),
		'by the id of the card': async ({ key }) => {
			const { activity_id } = await cardOf(key);
			const change = { activity_id, content_state: MINUTES_10 };
			return call('POST', '/live-activity/update', change, byOps());
		},
		'by the tool of an agent': ({ key }) =>
			byTool({ stream_key: key, content_state: { duration_seconds: 600 } }),
		'from the Playground': ({ key }) =>
			done(played(team.max, 'stream', { key, body: { content_state: MINUTES_10, channels } })),
	};

	// Low: the words are those of the key, and its program can compare the time of the tap; but the card says that ten minutes
	// are left when its sender meant five, or none. shown/content.ts compares `state.content` alone, and a timer that begins
	// anew with the same duration changes only `state.timer`.
	// Fix (one line, changeContent): isChanged also if !isDeepStrictEqual(state.timer, previous?.state.timer).
	it.failing.each(Object.keys(BEGINS_ANEW))('that begins anew %s', async (how) => {
		const stream = await asked();
		await BEGINS_ANEW[how]!(stream);
		expect(await misled(stream)).toEqual([]);
	});

	it.each<[string, object]>([
		['stands still', { is_running: false }],
		['counts up', { counts_down: false }],
		['takes a second longer', { duration_seconds: 601 }],
	])('that %s', async (_what, change) => {
		const stream = await asked();
		await call('PUT', stream.path, { content_state: change }, byOps());
		expect(await misled(stream)).toEqual([]);
	});
});

describe('a member writes around the button that an owner has sent, both from the Playground', () => {
	async function asked(): Promise<Stream> {
		const stream = fresh();
		const order = { ...shows(ORDER), action: approve(), channels };
		await done(played(team.olga, 'stream', { key: stream.key, body: order }));
		later();
		return stream;
	}

	const WAYS: Record<string, (stream: Stream) => Promise<unknown>> = {
		'by the key of the stream': ({ key }) =>
			done(played(team.max, 'stream', { key, body: { ...shows(COFFEE), channels } })),
		'by the id of the card': async ({ key }) => {
			const { activity_id } = await cardOf(key);
			return done(played(team.max, 'update', { body: { activity_id, ...shows(COFFEE) } }));
		},
		'by another type': ({ key }) => {
			const state = { type: 'value', title: COFFEE, value: 1 };
			return done(played(team.max, 'stream', { key, body: { content_state: state, channels } }));
		},
		'while it is paused': async ({ key }) => {
			await done(team.max.call('POST', `/streams/${key}/pause`));
			await done(played(team.max, 'stream', { key, body: { ...shows(COFFEE), channels } }));
			await done(team.max.call('POST', `/streams/${key}/resume`));
		},
	};

	// Found at the lower end of medium, and corrected: all members counted as one author.
	it.each(Object.keys(WAYS))('%s', async (how) => {
		const stream = await asked();
		await WAYS[how]!(stream);
		later();
		const card = await cardOf(stream.key);
		expect(card.content_state.title).toBe(COFFEE);
		await tap(card);
		expect(receiver.received).toEqual([]);
	});

	// As above: the owner sends only what changes, and relies on the words of before.
	it('before it comes', async () => {
		const { key } = fresh();
		await done(played(team.olga, 'stream', { key, body: { ...shows(ORDER), channels } }));
		later();
		await WAYS['by the key of the stream']!({ key, path: '' });
		later();
		const more = { content_state: {}, action: approve(), channels };
		await played(team.olga, 'stream', { key, body: more });
		later();
		const card = await cardOf(key);
		await tap(card);
		expect(card.content_state.title === ORDER ? [] : receiver.received).toEqual([]);
	});

	it('if it is the choice of a question: it goes', async () => {
		const { key } = fresh();
		const body = { ...ASKED, title: ORDER, target: { channels } };
		const live_activity = { stream_key: key, keep: true };
		const { question_id: id } = await done(
			played(team.olga, 'question', { body: { ...body, live_activity } }),
		);
		later();
		await WAYS['by the key of the stream']!({ key, path: '' });
		later();
		expect(await cardOf(key)).not.toHaveProperty('action');
		await done(answerOn(team.ada, id));
	});

	// Low: the preview is worked out without its sender (service/playground.ts, activityPreview), so it shows a button that
	// is dropped when the same is sent. Fix: changeContent(content, { ...changeIn(sent.body), by: caller }, now).
	it.failing('and sees in the preview what is then sent', async () => {
		const stream = fresh();
		await call('PUT', stream.path, { ...shows(ORDER), action: approve(), channels });
		later();
		const { key } = stream;
		const change = { request: 'stream', key, body: { ...shows(COFFEE), channels } };
		const { activity } = await done(team.max.call('POST', '/playground/preview', change));
		await done(team.max.call('POST', '/playground/send', change));
		expect((await cardOf(key)).action).toEqual(activity.action);
	});
});

describe('the tap on a button of before stands beside a question, as if that were answered', () => {
	const target = { channels };
	const QUESTIONS: Record<string, object> = {
		'that is answered by a text': { title: ORDER, text: {} },
		'with more choices than a card has room for': {
			title: ORDER,
			choices: ['a', 'b', 'c'].map((id) => ({ id, title: id })),
		},
		'that is too long for choices on a card': {
			...{ ...ASKED, title: ORDER, message: 'All of it. '.repeat(20) },
		},
	};

	// Low: it takes a tap whose webhook answers only after the question has come; nobody is told that the question is answered,
	// and it stays open. But its card says "Approve, Ada". taps/answer.ts, storeAnswer: a button that is gone does not count
	// as another one, though it does where the stream was rotated. Fix: `if (isOtherButton(answered.called, tapped.button))`.
	it.failing.each(Object.keys(QUESTIONS))('%s', async (which) => {
		const { key, path } = fresh();
		await call('PUT', path, { ...shows('Restart staging?'), action: approve(), channels });
		later();
		isSlow = true;
		const tapping = tap(await cardOf(key));
		await waitFor('the call', () => held.length > 0);
		const live_activity = { stream_key: key, keep: true };
		const asks = { ...QUESTIONS[which]!, target, live_activity };
		const { question_id: id } = await call('POST', '/questions', asks);
		for (const response of held.splice(0)) response.end('{}');
		await tapping;
		const card = await cardOf(key);
		await call('DELETE', `/questions/${id}`);
		expect(card).toMatchObject({ content_state: { title: ORDER } });
		expect(card).not.toHaveProperty('answer');
	});
});

describe('the secret address of a webhook, or its body, is told', () => {
	const SECRET = 'sesame-4711';
	const secret = () => ({ ...approve(`/${SECRET}`), body: { token: SECRET } });
	const begin = async () => {
		const stream = fresh();
		const order = { ...shows(ORDER), action: secret(), channels };
		return { ...stream, ...(await call('PUT', stream.path, order)) } as Stream & IdOfCard;
	};
	let ids: string[];
	beforeAll(async () => {
		const card = await begin();
		const push = { title: ORDER, actions: [secret()], target: { channels } };
		await call('POST', '/push-notification', push);
		const callback = { url: `${receiver.url}/${SECRET}` };
		const asked = { ...ASKED, callback, target: { channels } };
		const { question_id: question } = await call('POST', '/questions', asked);
		const { entries } = await done(team.max.call('GET', '/history'));
		ids = [...entries.map(({ id }: any) => id), card.activity_id, question];
		const [first] = (await team.ada.inbox()).filter(({ push }: any) => push?.actions);
		await done(
			team.ada.call('POST', '/taps', { tap_id: randomUUID(), delivery_id: first.id, action: 0 }),
		);
		await done(answerOn(team.ada, question));
	});

	const PLACES: Record<string, () => Promise<unknown>> = {
		'to a member, in the history': async () => [
			await done(team.max.call('GET', '/history')),
			...(await Promise.all(ids.map((id) => done(team.max.call('GET', `/history/${id}`))))),
		],
		'to a member, in its table': () => done(team.max.call('GET', '/history.csv')),
		'to a member, among what is live or asked': async () => [
			await done(team.max.call('GET', '/live')),
			await done(team.max.call('GET', '/questions')),
			await done(team.max.call('GET', '/questions?status=past')),
		],
		'to an owner, in the log': () => done(team.olga.call('GET', '/audit')),
		'to a member, by a preview of what goes on': async () => {
			const { key } = await begin();
			const change = { request: 'stream', key, body: { content_state: {}, channels } };
			return done(team.max.call('POST', '/playground/preview', change));
		},
		'to the phone, which gets it and taps it': async () => [
			await team.ada.inbox(),
			await team.ada.snapshot(),
			await done(team.ada.call('GET', '/history?limit=50')),
		],
		'to a limited key of its channel': async () => [
			await call('PUT', (await begin()).path, { content_state: {} }, byOps()),
			await call('GET', '/live-activity/streams', undefined, byOps()),
			await call('GET', '/questions', undefined, byOps()),
			await call('GET', '/triggers', undefined, byOps()),
		],
	};

	it.each(Object.keys(PLACES))('%s', async (where) => {
		const told = JSON.stringify(await PLACES[where]!());
		expect(told.length).toBeGreaterThan(20);
		expect(told).not.toContain(SECRET);
	});

	it.each(['member', 'phone'])('letter by letter, by the search of a %s', async (who) => {
		const search = async (words: string) =>
			who === 'member'
				? (await done(team.max.call('GET', `/history?search=${words}`)))['entries']
				: (await done(team.ada.call('GET', `/history?search=${words}`)))['deliveries'];
		expect(await search('production')).not.toEqual([]);
		expect(await search(SECRET)).toEqual([]);
	});
});
