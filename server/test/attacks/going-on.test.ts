import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toForm } from '../../src/delivery/apns/notification.ts';
import { cutMessage, MAX_TEXT_BYTES } from '../../src/delivery/webpush/message.ts';
import { toNotification } from '../../web/worker/notification.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities } from '../support/server.ts';
import { answerOn, ASKED, done, onPhone, shows, startTeam, type Team } from './support/team.ts';

/**
 * Attempts by what one begins and another goes on with. Ada alone is in `ops`, Bob alone in `sales`; a limited key has
 * both channels.
 */

let team: Team;
let both: string;
let receiver: Receiver;
const gateway = new SteeredGateway();
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => {
		response.setHeader('content-type', 'application/json').end('{"message":"Secret code 5,000"}');
	});
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' }, gateway);
	both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
});
beforeEach(async () => {
	for (const phone of [team.ada, team.bob]) before.set(phone, (await phone.inbox()).length);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await team.setChannel('sales', ['Bob']);
	for (const phone of [team.ada, team.bob]) await endActivities({ ...team.server, phone });
	for (const phone of [team.ada, team.bob])
		for (const { push } of (await phone.snapshot()).questions)
			await team.server.call('DELETE', `/questions/${push.question.question_id}`);
	// What has ended stays on the lock screen for some minutes.
	team.server.clock.advance(10 * 60);
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byBoth = () => ({ key: both });
const toOps = { channels: ['ops'] };
const toBoth = { channels: ['ops', 'sales'] };
/** What each phone has got in this test, and shows. */
const told = async (phone: Team['ada']) => {
	const inbox = await phone.inbox();
	const { notifications: _of_all, ...shown } = await phone.snapshot();
	return JSON.stringify([inbox.slice(before.get(phone) ?? 0), shown]);
};
const before = new Map<Team['ada'], number>();
const SECRET = { ...shows('Salary').content_state, message: '€ 5,000' };

interface Stream {
	key: string;
	path: string;
}

/** A stream that the limited key has begun in `ops`, with which a key of all channels goes on there. */
async function begunByLimited({ path }: Stream) {
	await call('PUT', path, { ...shows('Build'), ...toOps }, byBoth());
	await call('PUT', path, { content_state: SECRET, ...toOps });
}

/** A stream of a key of all channels, in `ops`. */
const begunByOther = ({ path }: Stream) => call('PUT', path, { content_state: SECRET, ...toOps });

const pause = ({ key }: Stream) => done(team.olga.call('POST', `/streams/${key}/pause`));
const resume = ({ key }: Stream) => done(team.olga.call('POST', `/streams/${key}/resume`));
const put = ({ path }: Stream, body: object) => team.server.call('PUT', path, body, byBoth());

type Way = (stream: Stream) => Promise<unknown>;

describe('a limited key shows one of its channels what another key has put on a card for the other', () => {
	const attempt = async (way: Way) => {
		const key = team.unique('stream').replace(' ', '-');
		const stream = { key, path: `/live-activity/stream/${key}` };
		await way(stream);
		expect(await told(team.ada)).toMatch(/5,000/);
		expect(await told(team.bob)).not.toMatch(/Salary|5,000/);
	};

	// Fix: in decidePut (service/streams/decisions.ts), `const mayReveal = isOwn && !caller.channels`.
	const STARTED: Record<string, Way> = {
		'to both': async (stream) => {
			await begunByLimited(stream);
			await put(stream, { content_state: {}, ...toBoth });
		},
		'without naming channels': async (stream) => {
			await begunByLimited(stream);
			await put(stream, { content_state: {} });
		},
		'with another title': async (stream) => {
			await begunByLimited(stream);
			await put(stream, { content_state: { title: 'News' }, ...toBoth });
		},
		'to the other channel alone': async (stream) => {
			await begunByLimited(stream);
			await put(stream, { content_state: {}, channels: ['sales'] });
		},
		'to the phone of another': async (stream) => {
			await begunByLimited(stream);
			await put(stream, { content_state: {}, ...onPhone(team.bob) });
		},
		'with a question that the other key has put on it': async (stream) => {
			await call('PUT', stream.path, { ...shows('Build'), ...toOps }, byBoth());
			const { title, message } = SECRET;
			const live_activity = { stream_key: stream.key, keep: true };
			const asked = { ...ASKED, title, message, target: toOps, live_activity };
			await call('POST', '/questions', asked);
			await put(stream, { content_state: {}, ...toBoth });
		},
	};
	it.each(Object.keys(STARTED))('that it began itself, %s', (what) => attempt(STARTED[what]!));

	const PAUSED: Record<string, Way> = {
		'to both': async (stream) => {
			await begunByOther(stream);
			await pause(stream);
			await put(stream, { content_state: {}, ...toBoth });
			await resume(stream);
		},
		'without naming channels, and with another title': async (stream) => {
			await begunByOther(stream);
			await pause(stream);
			await put(stream, { content_state: { title: 'News' } });
			await resume(stream);
		},
		'to the other channel alone': async (stream) => {
			await begunByOther(stream);
			await pause(stream);
			await put(stream, { content_state: {}, channels: ['sales'] });
			await resume(stream);
		},
	};
	it.each(Object.keys(PAUSED))('that is paused, %s', (what) => attempt(PAUSED[what]!));

	const KEPT: Record<string, Way> = {
		'it began itself, and then ended by its id': async (stream) => {
			await begunByLimited(stream);
			const { activity_id } = await call('PUT', stream.path, { content_state: {}, ...toOps });
			await call('POST', '/live-activity/end', { activity_id, content_state: {} });
			await put(stream, { content_state: {}, ...toBoth });
		},
		'is shown': async (stream) => {
			await begunByOther(stream);
			await put(stream, { content_state: {}, ...toBoth });
		},
		'has ended by its id': async (stream) => {
			const { activity_id } = await begunByOther(stream);
			await call('POST', '/live-activity/end', { activity_id, content_state: {} }, byBoth());
			await put(stream, { content_state: {}, ...toBoth });
		},
		'is older than eight hours': async (stream) => {
			await begunByOther(stream);
			team.server.clock.advance(8 * 60 * 60 + 60);
			await put(stream, { content_state: {}, ...toBoth });
		},
		'was paused, and resumed again': async (stream) => {
			await begunByOther(stream);
			await pause(stream);
			await resume(stream);
			await put(stream, { content_state: {}, ...toBoth });
		},
		'changes its type': async (stream) => {
			await begunByOther(stream);
			const content_state = { type: 'value', value: '1' };
			await put(stream, { content_state, ...toBoth });
		},
		'gets its question': async (stream) => {
			await begunByOther(stream);
			const live_activity = { stream_key: stream.key, keep: true };
			await team.server.call('POST', '/questions', { ...ASKED, live_activity }, byBoth());
			await put(stream, { content_state: {}, ...toBoth });
		},
	};
	it.each(Object.keys(KEPT))('that %s', (what) => attempt(KEPT[what]!));
});

describe('who has left a channel sees what those who stay answer', () => {
	const toAll = async () => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		return { target: toOps };
	};
	const leave = () => team.setChannel('ops', ['Bob']);
	const tapOf = async (phone: Team['ada']) => {
		const { id: delivery_id } = (await phone.inbox()).at(-1);
		return done(phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 }));
	};

	const WAYS: Record<string, () => Promise<unknown>> = {
		'a typed answer': async () => {
			const asked = { title: 'Code?', text: {}, ...(await toAll()) };
			const { question_id: id } = await call('POST', '/questions', asked);
			await leave();
			return done(answerOn(team.bob, String(id), { text: 'Secret code 5,000' }));
		},
		'the answer of a webhook': async () => {
			const actions = [{ title: 'Code', type: 'webhook', url: receiver.url }];
			await call('POST', '/push-notification', { title: 'A', actions, ...(await toAll()) });
			await leave();
			return tapOf(team.bob);
		},
		'a typed answer, on a Live Activity': async () => {
			const asked = { title: 'Code?', text: {}, live_activity: {}, ...(await toAll()) };
			const { question_id: id } = await call('POST', '/questions', asked);
			await leave();
			return done(answerOn(team.bob, String(id), { text: 'Secret code 5,000' }));
		},
	};
	// Low: every phone that has a push gets its answer (docs/device-protocol.md "Answers"), and so does the phone of who was
	// asked, too, and has left since.
	it.failing.each(Object.keys(WAYS))('%s', async (what) => {
		await WAYS[what]!();
		expect(await told(team.bob)).toMatch(/Secret code/);
		expect(await told(team.ada)).not.toMatch(/Secret code/);
	});
});

describe('who has left a channel gets the last words of a card', () => {
	const leave = () => team.setChannel('ops', ['Bob']);
	const last = { content_state: { message: 'Secret code 5,000' } };

	const ENDS: Record<string, (path: string, key: string) => Promise<unknown>> = {
		'of a stream, with which it ends': async (path) => {
			await call('PUT', path, { ...shows('Build'), ...toOps });
			await leave();
			return call('DELETE', path, last);
		},
		'of a stream, ended by the id of its activity': async (path) => {
			const { activity_id } = await call('PUT', path, { ...shows('Build'), ...toOps });
			await leave();
			return call('POST', '/live-activity/end', { activity_id, ...last });
		},
		'of a stream that a key of its channel ends': async (path) => {
			await call('PUT', path, { ...shows('Build'), ...toOps }, { key: team.ops });
			await leave();
			return call('DELETE', path, last, { key: team.ops });
		},
		'of a stream that was silent for eight hours': async (path) => {
			await call('PUT', path, { ...shows('Build'), ...toOps });
			await leave();
			team.server.clock.advance(8 * 60 * 60 + 60);
			return call('DELETE', path, last);
		},
		'about a question on a stream, with the answer': async (_path, stream_key) => {
			const asked = { title: 'Code?', text: {}, live_activity: { stream_key }, target: toOps };
			const { question_id: id } = await call('POST', '/questions', asked);
			await leave();
			return done(answerOn(team.bob, String(id), { text: 'Secret code 5,000' }));
		},
	};

	async function attempt(end: (path: string, key: string) => Promise<unknown>) {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const key = team.unique('stream').replace(' ', '-');
		await end(`/live-activity/stream/${key}`, key);
		const news = (await team.ada.inbox()).slice(before.get(team.ada));
		const cards = news.filter(({ kind }: any) => kind.startsWith('activity'));
		expect(cards.length).toBeGreaterThan(0);
		expect(JSON.stringify(cards)).not.toMatch(/Secret code/);
	}

	it.each(Object.keys(ENDS))('%s', (what) => attempt(ENDS[what]!));

	it('of an activity without a stream', () =>
		attempt(async () => {
			const { activity_id } = await call('POST', '/live-activity/start', {
				...shows('Build'),
				target: toOps,
			});
			await leave();
			return call('POST', '/live-activity/end', { activity_id, ...last });
		}));

	it('of a stream whose update came first', () =>
		attempt(async (path) => {
			await call('PUT', path, { ...shows('Build'), ...toOps });
			await leave();
			await call('PUT', path, { content_state: {}, ...toOps });
			return call('DELETE', path, last);
		}));
});

describe('a card offers the choices of a question beside less than all of it', () => {
	const app = { bundleId: 'a', activityType: 'A', linkKeyOf: String };
	const unseen = (count: number) => '\u0001'.repeat(count);
	const PAY = 'Pay € 5,000 to Mallory';

	/** What a browser's notification and an iPhone's card show, and whether they offer to answer. */
	async function shownOf(more: object, title: string) {
		gateway.seen.length = 0;
		const choices = [{ id: 'yes', title }];
		const link = { title, url: `https://example.com/${'x'.repeat(2_028)}` };
		await call('POST', '/questions', { choices, link, live_activity: {}, target: toOps, ...more });
		const [start] = gateway.seen.filter(({ message: { kind } }) => kind === 'activity_start');
		const { data } = cutMessage(start!, MAX_TEXT_BYTES).notification;
		const { options } = toNotification(data, { tag: 'a', hasSound: true, now: 0 })!;
		const apple = JSON.parse(`{"beckon":{"delivery_id":1${toForm(start!, app).afterId}`);
		const state = apple.aps['content-state'];
		return [
			{ isOffered: options.actions!.length > 0, text: options.body! },
			{ isOffered: state.action !== undefined, text: state.message },
		];
	}

	it.each<[string, string, string]>([
		['behind tags', `${'\u{E0061}'.repeat(90)}${PAY}`, 'Yes'],
		['behind emoji', `${'🚀'.repeat(90)}${PAY}`, '🚀'.repeat(60)],
		['in Chinese', `${'请'.repeat(100)}付给马洛里`, '同意'.repeat(30)],
		['behind letters that nobody sees', `${unseen(90)}${PAY}`, 'Yes'],
	])('%s', async (_what, message, title) => {
		for (const { isOffered, text } of await shownOf({ title: 'OK?', message }, title))
			if (isOffered) expect(text).toContain(message);
	});

	it('behind so many that it is cut', async () => {
		const message = `${unseen(90)}${PAY}`;
		const asked = { title: 'OK?', message, interruption_level: 'passive' };
		for (const { isOffered, text } of await shownOf(asked, `Yes${unseen(60)}.`))
			if (isOffered) expect(text).toContain(PAY);
	});
});
