import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../senders/support/send.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { answerOn, ASKED, done, onPhone, shows, startTeam, type Team } from './support/team.ts';

/**
 * Attempts of a key that is limited to a channel with what another key has put on a stream there: it leaves the button, and
 * changes the words around it. Ada alone is in `ops`.
 */

const SESSION = 'session-of-n8n-1';

let team: Team;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => response.end('{}'));
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true', BECKON_RATE_MCP: '1000000' });
});
afterEach(async () => {
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
const approve = () => ({ title: 'Approve', type: 'webhook', url: receiver.url });
const cardOn = async (phone: TestPhone, key: string) =>
	(await phone.snapshot()).activities.find((one: any) => one.stream_key === key);
const tap = (phone: TestPhone, { activity_id, updated_at }: any, action = 'action') =>
	phone.call('POST', '/taps', { tap_id: randomUUID(), activity_id, action, updated_at });

interface Stream {
	key: string;
	path: string;
}

const fresh = (): Stream => {
	const key = team.unique('stream').replace(' ', '-');
	return { key, path: `/live-activity/stream/${key}` };
};

/** The key of all channels asks for an approval on a stream in `ops`. */
async function asked(more: object = {}): Promise<Stream> {
	const stream = fresh();
	const order = { ...shows('Delete production?'), action: approve(), channels: ['ops'], ...more };
	await call('PUT', stream.path, order);
	later();
	return stream;
}

/** Ada sees other words, and taps what is below them. @returns what the other key's program is told of it */
async function tapped({ key }: Stream, words: string, name = 'action'): Promise<unknown[]> {
	later();
	const card = await cardOn(team.ada, key);
	expect(JSON.stringify(card.content_state)).toContain(words);
	await tap(team.ada, card, name);
	return receiver.received;
}

const COFFEE = 'Coffee?';

/** The tool of an agent for Live Activities. */
async function byTool(key: string, given: object) {
	const params = { name: 'update_live_activity', arguments: given };
	const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
	const headers = { accept: 'application/json, text/event-stream' };
	expect((await send(team.server, '/mcp', { key, body, headers })).status).toBe(200);
}

/** How the limited key changes the words. */
const WAYS: Record<string, (stream: Stream) => Promise<unknown>> = {
	'by the key of the stream': ({ path }) => call('PUT', path, shows(COFFEE), byOps()),
	'by the key of the stream, with an alert': ({ path }) =>
		call('PUT', path, { ...shows(COFFEE), alert: { title: COFFEE } }, byOps()),
	'by the id of its activity': async ({ key }) => {
		const { activity_id } = await cardOn(team.ada, key);
		return call('POST', '/live-activity/update', { activity_id, ...shows(COFFEE) }, byOps());
	},
	'by another type, with which the activity begins anew': ({ path }) =>
		call('PUT', path, { content_state: { type: 'value', title: COFFEE, value: 1 } }, byOps()),
	'by one word of them': ({ path }) =>
		call('PUT', path, { content_state: { subtitle: COFFEE } }, byOps()),
	'by a badge alone': ({ path }) =>
		call('PUT', path, { content_state: { badge: { title: COFFEE, color: 'green' } } }, byOps()),
	'while it is paused': async ({ key, path }) => {
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		await call('PUT', path, shows(COFFEE), byOps());
		await done(team.olga.call('POST', `/streams/${key}/resume`));
	},
	'by the tool of an agent': ({ key: stream_key }) =>
		byTool(team.ops, { stream_key, content_state: { title: COFFEE } }),
};

describe('somebody approves what they have not seen: a limited key changes the words around the button of another', () => {
	// Found as medium, and corrected since: the button stayed, and its webhook was called.
	it.each(Object.keys(WAYS))('%s', async (way) => {
		const stream = await asked();
		await WAYS[way]!(stream);
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});

	it('on a stream that it began itself, before the other went on with it', async () => {
		const stream = fresh();
		await call('PUT', stream.path, shows('Build'), byOps());
		later();
		await call('PUT', stream.path, {
			...shows('Delete production?'),
			action: approve(),
			channels: ['ops'],
		});
		later();
		await call('PUT', stream.path, shows(COFFEE), byOps());
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});

	it('with a button of its own in the place of the other one', async () => {
		const details = { title: 'Details', type: 'open_url', url: 'https://example.com' };
		const stream = await asked({ action: details, secondary_action: approve() });
		await call('PUT', stream.path, { ...shows(COFFEE), action: details }, byOps());
		expect(await tapped(stream, COFFEE, 'secondary_action')).toEqual([]);
	});

	it('on the card of one phone', async () => {
		const channels = onPhone(team.ada).channels;
		const stream = await asked({ channels });
		await call('PUT', stream.path, { ...shows(COFFEE), channels }, byOps());
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});

	it('that starts the workflow of another', async () => {
		const id = `trg_${'q'.repeat(43)}`;
		await call('PUT', `/triggers/${id}`, { name: 'Delete', session: SESSION });
		const url = `https://beckon.example.com/api/triggers/${id}`;
		const stream = await asked({ action: { ...approve(), url, body: { delete: 'production' } } });
		const named = await team.server.call(
			'PUT',
			stream.path,
			{ ...shows(COFFEE), action: { ...approve(), url } },
			byOps(),
		);
		expect(named.status).toBe(400);
		await call('PUT', stream.path, shows(COFFEE), byOps());
		await tapped(stream, COFFEE);
		const { taps } = await call('GET', `/triggers/${id}/taps?session=${SESSION}`);
		expect(taps).toEqual([]);
	});

	it('with an alert alone, which phones show in place of the words', async () => {
		const stream = await asked();
		const alert = { title: COFFEE, body: 'Tap Approve.' };
		await call('PUT', stream.path, { content_state: {}, alert }, byOps());
		const delivered = (await team.ada.inbox()).at(-1);
		expect(delivered).toMatchObject({ alert: { title: COFFEE } });
		expect(delivered.activity).not.toHaveProperty('action');
		expect(await tapped(stream, 'Delete production?')).toEqual([]);
	});

	it('after its own button has taken the place of the other, which then comes back', async () => {
		const stream = await asked();
		const own = { title: 'Approve', type: 'webhook', url: `${receiver.url}/own` };
		await call('PUT', stream.path, { content_state: {}, action: own }, byOps());
		later();
		const order = { ...shows('Delete production?'), action: approve(), channels: ['ops'] };
		await call('PUT', stream.path, order);
		later();
		await call('PUT', stream.path, shows(COFFEE), byOps());
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});

	// Low: nothing is called, and the key could write the same itself; but the card says that Ada has approved its words.
	// Fix: shown/content.ts, changeContent: without(), where it takes the webhooks of another key, takes the answer as well.
	it.failing('and they seem to have been approved: the answer stays beside them', async () => {
		const stream = await asked();
		await done(tap(team.ada, await cardOn(team.ada, stream.key)));
		expect(await cardOn(team.ada, stream.key)).toMatchObject({ answer: { by: 'Ada' } });
		later();
		await call('PUT', stream.path, shows('Pay 5,000?'), byOps());
		const card = await cardOn(team.ada, stream.key);
		expect(card).toMatchObject({ content_state: { title: 'Pay 5,000?' } });
		expect(card).not.toHaveProperty('answer');
	});
});

describe('somebody approves what they have not seen: the button of a key comes to the words of a limited one', () => {
	const ORDER = 'Delete production?';
	const begin = async () => {
		const stream = fresh();
		await call('PUT', stream.path, { ...shows(ORDER), channels: ['ops'] });
		later();
		await call('PUT', stream.path, shows(COFFEE), byOps());
		later();
		return stream;
	};
	const more = () => ({ content_state: {}, action: approve() });

	/** How the key of all channels sends its button later: it sends only what changes. */
	const LATER: Record<string, (stream: Stream) => Promise<unknown>> = {
		'with its stream': ({ path }) =>
			team.server.call('PUT', path, { ...more(), channels: ['ops'] }),
		'with a part of its words': ({ path }) =>
			team.server.call('PUT', path, {
				...{ content_state: { subtitle: 'Now' }, action: approve(), channels: ['ops'] },
			}),
		'by the id of its activity': async ({ key }) => {
			const { activity_id } = await cardOn(team.ada, key);
			return team.server.call('POST', '/live-activity/update', { activity_id, ...more() });
		},
		'with the end': ({ path }) => team.server.call('DELETE', path, more()),
	};

	// Found as medium, and corrected since: the key relied on the words that it had sent before.
	it.each(Object.keys(LATER))('%s', async (how) => {
		const stream = await begin();
		await LATER[how]!(stream);
		later();
		const card = await cardOn(team.ada, stream.key);
		await tap(team.ada, card);
		const { title } = card.content_state;
		expect(title === ORDER ? [] : receiver.received).toEqual([]);
	});
});

describe('somebody approves what they have not seen: the button of a key comes to the question of a limited one', () => {
	/** How the question ends, or does not, before. */
	const BEFORE: Record<string, (id: string) => Promise<unknown>> = {
		'that is open': () => Promise.resolve(),
		'that was answered': (id) => done(answerOn(team.ada, id)),
		'that it has withdrawn': (id) => call('DELETE', `/questions/${id}`, undefined, byOps()),
	};

	it.each(Object.keys(BEFORE))('%s', async (how) => {
		const stream = fresh();
		await call('PUT', stream.path, { ...shows('Delete production?'), channels: ['ops'] });
		later();
		const live_activity = { stream_key: stream.key, keep: true };
		const question = { ...ASKED, title: COFFEE, target: { channels: ['ops'] }, live_activity };
		const { question_id: id } = await call('POST', '/questions', question, byOps());
		later();
		await BEFORE[how]!(id);
		const change = { content_state: {}, action: approve(), channels: ['ops'] };
		await team.server.call('PUT', stream.path, change);
		later();
		const card = await cardOn(team.ada, stream.key);
		await tap(team.ada, card);
		expect(card.content_state.title === COFFEE ? receiver.received : []).toEqual([]);
		await team.server.call('DELETE', `/questions/${id}`);
	});
});

describe('somebody approves what they have not seen: who may send to everybody changes the words around a button', () => {
	/** A member, who is no owner. */
	const IN_THE_PLAYGROUND: Record<string, (stream: Stream) => Promise<unknown>> = {
		'on the stream': ({ key }) =>
			done(
				team.max.call('POST', '/playground/send', {
					request: 'stream',
					key,
					body: { ...shows(COFFEE), channels: ['ops'] },
				}),
			),
		'by the id of the card': async ({ key }) => {
			const { activity_id } = await cardOn(team.ada, key);
			const body = { activity_id, ...shows(COFFEE) };
			return done(team.max.call('POST', '/playground/send', { request: 'update', body }));
		},
	};

	it.each(Object.keys(IN_THE_PLAYGROUND))('in the Playground, %s: it goes', async (how) => {
		const stream = await asked();
		await IN_THE_PLAYGROUND[how]!(stream);
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});

	it('in the Playground: another asks beside them only with words of its own', async () => {
		const stream = await asked();
		await IN_THE_PLAYGROUND['on the stream']!(stream);
		const more = { content_state: {}, action: approve(), channels: ['ops'] };
		expect(await team.server.call('PUT', stream.path, more)).toMatchObject({ status: 400 });
		await call('PUT', stream.path, { ...more, ...shows('Deploy?') });
		expect(await tapped(stream, 'Deploy?')).toHaveLength(1);
	});

	// Low: omitted buttons are kept, as the service's text says, and a key of all channels may send anything to everybody: a
	// new key goes on with the streams of an old one. docs/agents.md gives agents keys that are limited to channels.
	it.failing('an agent with a key of all channels, by its tool', async () => {
		const stream = await asked();
		const key = await team.server.addKey(team.server.account.id);
		const { key: stream_key } = stream;
		await byTool(key, { stream_key, content_state: { title: COFFEE }, channels: ['ops'] });
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});
});

describe('a limited key uses the button of another', () => {
	it('with the last words of its card: it is closed', async () => {
		const stream = await asked();
		const { activity_id } = await cardOn(team.ada, stream.key);
		await call('POST', '/live-activity/end', { activity_id, ...shows(COFFEE) }, byOps());
		expect(await tapped(stream, COFFEE)).toEqual([]);
	});

	it('with its question on the stream: nothing of before stays beside it', async () => {
		const stream = await asked();
		const live_activity = { stream_key: stream.key };
		const question = { ...ASKED, title: COFFEE, target: { channels: ['ops'] }, live_activity };
		const { question_id: id } = await call('POST', '/questions', question, byOps());
		expect(await tapped(stream, COFFEE)).toEqual([]);
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'answered' });
	});

	it('on a stream that it takes to a further channel: the button stays behind', async () => {
		const both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
		const stream = await asked();
		await call('PUT', stream.path, shows(COFFEE), { key: both });
		for (const phone of [team.ada, team.bob]) {
			const card = await cardOn(phone, stream.key);
			expect(card).not.toHaveProperty('action');
			expect((await tap(phone, card)).status).toBe(404);
		}
		expect(receiver.received).toEqual([]);
	});

	it('after its end, with a stream of the same key', async () => {
		const stream = await asked();
		await call('DELETE', stream.path, undefined, byOps());
		await call('PUT', stream.path, shows(COFFEE), byOps());
		const { activities } = await team.ada.snapshot();
		const isNew = ({ content_state: state }: any) => state.title === COFFEE;
		const card = activities.find(isNew);
		expect(card).not.toHaveProperty('action');
		expect((await tap(team.ada, card)).status).toBe(404);
	});

	// Low: a phone of the further channel finds the card by the other key's tags, which it has to guess, and sees none of them.
	// Fix: streams/decisions.ts, decidePut: where nothing is merged, keep no tags either (change.tags ?? []).
	it.failing(
		'in a phone’s history, by the tags of the other, once it has taken the stream further',
		async () => {
			const both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
			const stream = await asked({ tags: ['salary-of-max'] });
			await call('PUT', stream.path, shows(COFFEE), { key: both });
			const history = async (query: string) =>
				(await done(team.bob.call('GET', `/history?limit=50${query}`)))['deliveries'];
			expect(await history('')).not.toEqual([]);
			expect(await history('&tag_part=salary-of-max')).toEqual([]);
		},
	);

	// Low: the key named this phone itself, and a member has to resume it; but what it says reaches a phone outside its channels,
	// unlike reminders and repeats. Fix: streams/decisions.ts, decideResume: leave out phones that the key of the stream may not name any more.
	it.failing('by a phone of its channel that has left it, once the stream is resumed', async () => {
		const name = team.unique('Leaver');
		await done(team.olga.call('POST', '/users', { name }));
		const phone = await team.server.pairPhone({ user: name });
		await team.setChannel('ops', ['Ada', name]);
		const { key, path } = fresh();
		await call('PUT', path, { ...shows('Build'), ...onPhone(phone) }, byOps());
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		await call('PUT', path, { ...shows('Secret'), ...onPhone(phone) }, byOps());
		await team.setChannel('ops', ['Ada']);
		await done(team.olga.call('POST', `/streams/${key}/resume`));
		const seen = JSON.stringify([await phone.inbox(), await phone.snapshot()]);
		await call('DELETE', path);
		expect(seen).not.toContain('Secret');
	});
});
