import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities } from '../support/server.ts';
import { answerOn, ASKED, done, onPhone, shows, startTeam, type Team } from './support/team.ts';

/** Attempts of a limited key to be there first: on a stream that others then go on with. Ada alone is in `ops`. */

let team: Team;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => response.end('{"final":true}'));
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterEach(async () => {
	for (const phone of [team.ada, team.bob]) await endActivities({ ...team.server, phone });
	for (const { push } of (await team.ada.snapshot()).questions)
		await team.server.call('DELETE', `/questions/${push.question.question_id}`);
	team.server.clock.advance(60);
	receiver.received.length = 0;
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { channels: ['ops'] };
const own = (title: string) => ({ title, type: 'webhook', url: receiver.url });
const fresh = () => {
	const key = team.unique('stream').replace(' ', '-');
	return { key, path: `/live-activity/stream/${key}` };
};
const cardOn = async (phone: Team['ada'], key: string) =>
	(await phone.snapshot()).activities.find(
		(one: any) => one.stream_key === key && one.dismiss_at === null,
	);
const tap = (phone: Team['ada'], { activity_id }: any, action: string) =>
	phone.call('POST', '/taps', { tap_id: randomUUID(), activity_id, action });
const statusOf = async (id: string) => (await call('GET', `/questions/${id}`))['status'];
const later = () => team.server.clock.advance(1);
const byOps = () => ({ key: team.ops });

/** The limited key shows something; then another key asks on the same stream. */
async function askAfter(before: object, question: object = {}, placement: object = {}) {
	const { key, path } = fresh();
	await call('PUT', path, { ...shows('Build'), ...before }, byOps());
	later();
	const { question_id: id } = await call('POST', '/questions', {
		...ASKED,
		title: 'Delete production?',
		target: toOps,
		live_activity: { stream_key: key, ...placement },
		...question,
	});
	later();
	return { key, path, id: id as string };
}

describe('what a card showed stays beside the question that takes its place', () => {
	it.each<[string, object]>([
		['with a text to type', { choices: undefined, text: {} }],
		['that is too long to be answered there', { message: 'x'.repeat(130) }],
		[
			'with more choices than buttons',
			{ choices: [1, 2, 3].map((n) => ({ id: `${n}`, title: `${n}` })) },
		],
		['with one choice', { choices: ASKED.choices.slice(0, 1) }],
	])('a button of before, beside one %s', async (_what, question) => {
		const before = { action: own('Approve'), secondary_action: own('Decline') };
		const { key, id } = await askAfter(before, question);
		const card = await cardOn(team.ada, key);
		expect((await tap(team.ada, card, 'secondary_action')).status).toBe(404);
		await tap(team.ada, card, 'action');
		expect(receiver.received).toEqual([]);
		// One choice is a button of the question itself.
		expect(await statusOf(id)).toBe('choices' in question && card.action ? 'answered' : 'open');
	});

	it.each<[string, object]>([
		['a subtitle', { subtitle: 'on the test system' }],
		['a badge', { badge: { title: 'Test', color: 'green' } }],
		['an icon', { icon: { symbol: 'testtube.2' } }],
		['a color', { color: 'green' }],
	])('%s', async (_what, fields) => {
		const before = { content_state: { ...shows('Build').content_state, ...fields } };
		const { key, path } = await askAfter(before);
		const { content_state, action } = await cardOn(team.ada, key);
		expect(action).toMatchObject({ title: 'Approve' });
		for (const name of Object.keys(fields)) expect(content_state).not.toHaveProperty(name);
		await call('DELETE', path);
	});

	it('the answer to a button of before, as if the question had it', async () => {
		const { key, path } = fresh();
		await call('PUT', path, { ...shows('Build'), action: own('Approve') }, byOps());
		await done(tap(team.ada, await cardOn(team.ada, key), 'action'));
		expect(await cardOn(team.ada, key)).toMatchObject({ answer: { button: 'Approve', by: 'Ada' } });
		later();
		await call('POST', '/questions', {
			title: 'Why?',
			text: {},
			target: toOps,
			live_activity: { stream_key: key },
		});
		expect(await cardOn(team.ada, key)).not.toHaveProperty('answer');
	});

	it('the same words: the question is still asked', async () => {
		const { key, path } = fresh();
		const words = { type: 'alert', title: 'Why?', message: 'Say it.' };
		await call('PUT', path, { content_state: words }, byOps());
		const asked = {
			...{ title: 'Why?', message: 'Say it.', text: {}, interruption_level: 'passive' },
			...{ target: toOps, live_activity: { stream_key: key } },
		};
		const { question_id: id } = await call('POST', '/questions', asked);
		await done(answerOn(team.ada, id, { text: 'So.' }));
		expect(await statusOf(id)).toBe('answered');
	});
});

describe('a limited key puts a button beside the choices of another’s question', () => {
	const decline = () => ({ content_state: {}, secondary_action: own('Decline') });

	/** How the key sends it. */
	const WAYS: Record<string, (asked: { key: string; path: string }) => Promise<unknown>> = {
		'in the place of one': ({ path }) => call('PUT', path, decline(), byOps()),
		'in the place of the other': ({ path }) =>
			call('PUT', path, { content_state: {}, action: own('Approve') }, byOps()),
		'by the id of the card': async ({ key }) => {
			const { activity_id } = await cardOn(team.ada, key);
			return call('POST', '/live-activity/update', { activity_id, ...decline() }, byOps());
		},
		'while its stream is paused': async ({ key, path }) => {
			await done(team.olga.call('POST', `/streams/${key}/pause`));
			await call('PUT', path, decline(), byOps());
			return done(team.olga.call('POST', `/streams/${key}/resume`));
		},
	};

	it.each(Object.keys(WAYS))('%s', async (way) => {
		const asked = await askAfter({}, {}, { keep: true });
		await WAYS[way]!(asked);
		later();
		const card = await cardOn(team.ada, asked.key);
		const buttons = [card.action, card.secondary_action].filter(Boolean);
		expect(buttons.map(({ closed = false }: any) => closed)).toEqual([false]);
		const name = card.action ? 'action' : 'secondary_action';
		await tap(team.ada, card, name);
		expect([receiver.received.length, await statusOf(asked.id)]).toEqual([1, 'open']);
		// Nobody has answered the question by it.
		expect((await answerOn(team.ada, asked.id)).body).toMatchObject({ outcome: 'answered' });
	});
});

describe('a limited key is seen outside its channels', () => {
	it('by the choices of its question, on a stream that is given to all: only its own may choose', async () => {
		const { key, path } = fresh();
		const { question_id: id } = await call(
			'POST',
			'/questions',
			{ ...ASKED, live_activity: { stream_key: key, keep: true } },
			byOps(),
		);
		await call('PUT', path, shows('Deploy'));
		const card = await cardOn(team.bob, key);
		if (card?.action) await tap(team.bob, card, 'action');
		expect(await statusOf(id)).toBe('open');
	});

	it.each<[string, object]>([
		['a button', { action: own }],
		['a subtitle', { content_state: { ...shows('Deploy').content_state, subtitle: 'Seen' } }],
		['a badge', { content_state: { ...shows('Deploy').content_state, badge: { title: 'Seen' } } }],
	])('by %s on a stream that a key of all channels starts later', async (_what, before) => {
		const { key, path } = fresh();
		const button = 'action' in before && { action: own('Seen') };
		await call('PUT', path, { ...shows('Deploy'), ...before, ...button }, byOps());
		later();
		await call('PUT', path, shows('Deploy'));
		expect(JSON.stringify(await cardOn(team.bob, key))).not.toContain('Seen');
	});
});

describe('one phone closes the buttons of all', () => {
	it('by taps on one that starts a workflow again and again, which nothing hears', async () => {
		const id = `trg_${'w'.repeat(43)}`;
		await call('PUT', `/triggers/${id}`, { name: 'Note', session: 'session-of-n8n-1' });
		team.server.clock.advance(60);
		const send = async (phone: Team['ada']) => {
			const url = `https://beckon.example.com/api/triggers/${id}?every_tap=true`;
			const actions = [{ title: 'Note', type: 'webhook', url }];
			await call('POST', '/push-notification', { title: 'Note', actions, target: onPhone(phone) });
			const { id: delivery_id } = (await phone.inbox()).at(-1);
			return () => phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 });
		};
		const [byAda, byBob] = [await send(team.ada), await send(team.bob)];
		expect(await done(byAda())).toMatchObject({ outcome: 'called' });
		// As if she had gone on.
		const { database } = team.server.context;
		await database.write(team.server.account.id, async (db) => {
			const [tapped] = await db.selectFrom('trigger_taps').selectAll().execute();
			const rows = Array.from({ length: 999 }, (_, at) => ({ ...tapped!, number: at + 2 }));
			for (let at = 0; at < rows.length; at += 50)
				await db
					.insertInto('trigger_taps')
					.values(rows.slice(at, at + 50))
					.execute();
			await db.updateTable('triggers').set({ taps: 1_000 }).execute();
		});
		expect(await done(byAda())).toMatchObject({ outcome: 'failed' });
		expect(await done(byBob())).toMatchObject({ outcome: 'called' });
	});
});
