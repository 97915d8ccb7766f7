import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { callConsole, PASSWORD } from '../console/support/console.ts';
import { group } from '../senders/support/groups.ts';
import { send } from '../senders/support/send.ts';
import { toPhoneSlug } from '../../src/service/sending/audience.ts';
import { settleDue } from '../support/later.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { endActivities } from '../support/server.ts';
import { answerOn, ASKED, done, onPhone, shows, startTeam, type Team } from './support/team.ts';

/**
 * Attempts by what comes afterward: links on a card that one no longer gets, alerts beside one that is odd, a search among
 * odd texts, an escalation, a sign-in after the calls of another page. Ada alone is in `ops`, Bob in `sales`.
 */

let team: Team;
let sender: string;
/** A key of both channels. */
let both: string;
beforeAll(async () => {
	team = await startTeam();
	sender = await team.server.addSenderKey(['ops']);
	both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
	await done(team.olga.call('PUT', '/account', { name: 'Acme' }));
	const { database } = team.server.context;
	await database.write(team.server.account.id, (db) =>
		db.updateTable('accounts').set({ time_zone: 'Asia/Tokyo' }).execute(),
	);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await team.setChannel('sales', ['Bob']);
	for (const phone of [team.ada, team.bob]) await endActivities({ ...team.server, phone });
	for (const phone of [team.ada, team.bob])
		for (const { push } of (await phone.snapshot()).questions)
			await team.server.call('DELETE', `/questions/${push.question.question_id}`);
});
afterAll(() => team.server.close());

type Method = Parameters<Team['server']['call']>[0];
const call = (method: Method, path: string, body?: object, key?: string) =>
	done(team.server.call(method, path, body, key === undefined ? {} : { key }));
const toOps = { channels: ['ops'] };
const later = async (minutes: number) => {
	team.server.clock.advance(minutes * 60 + 1);
	await settleDue(team.server.context, questionTimes);
};

describe('who has left a channel opens a link that a card gets only then', () => {
	const link = { title: 'Open', type: 'open_url', url: 'https://example.com/secret-5000' };
	const tap = (phone: Team['ada'], activity_id: unknown, action: string) =>
		phone.call('POST', '/taps', { tap_id: randomUUID(), activity_id, action });

	async function attempt(
		begin: (path: string) => Promise<Record<string, any>>,
		goOn: (path: string, id: string) => Promise<unknown>,
		action = 'action',
	) {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const path = `/live-activity/stream/${team.unique('card').replace(' ', '-')}`;
		const { activity_id: id } = await begin(path);
		await team.setChannel('ops', ['Bob']);
		await goOn(path, id);
		expect(JSON.stringify((await tap(team.ada, id, action)).body)).not.toContain('secret');
		const { body } = await tap(team.bob, id, action);
		return body;
	}
	const onStream = (path: string) => call('PUT', path, { ...shows('Build'), ...toOps });

	it.each<[string, (path: string, id: string) => Promise<unknown>, string]>([
		[
			'by an update of a stream’s card by its id',
			(_path, activity_id) =>
				call('POST', '/live-activity/update', { activity_id, content_state: {}, action: link }),
			'action',
		],
		[
			'by such an update, as the second button',
			(_path, activity_id) =>
				call('POST', '/live-activity/update', {
					activity_id,
					content_state: {},
					secondary_action: link,
				}),
			'secondary_action',
		],
		[
			'by its end by its id',
			(_path, activity_id) =>
				call('POST', '/live-activity/end', { activity_id, content_state: {}, action: link }),
			'action',
		],
		[
			'by the end of its stream',
			(path) => call('DELETE', path, { content_state: {}, action: link }),
			'action',
		],
	])('%s', async (_how, goOn, action) => {
		await attempt(onStream, goOn, action);
	});

	it('by the next update of its stream, which begins another card', async () => {
		await attempt(onStream, (path) =>
			call('PUT', path, { content_state: {}, action: link, ...toOps }),
		);
	});

	it('by a card without a stream, which is taken off: others open it', async () => {
		const begin = () => call('POST', '/live-activity/start', { ...shows('A'), target: toOps });
		const opened = await attempt(begin, (_path, activity_id) =>
			call('POST', '/live-activity/update', { activity_id, content_state: {}, action: link }),
		);
		expect(opened).toMatchObject({ outcome: 'open', url: link.url });
	});
});

describe('who has left a channel guesses the tags that a card gets only then, by searching their own history', () => {
	const GOES_ON: Record<string, (path: string, id: string, tags: string[]) => Promise<unknown>> = {
		'an update by its id': (_path, activity_id, tags) =>
			call('POST', '/live-activity/update', { activity_id, content_state: {}, tags }),
		'its end by its id': (_path, activity_id, tags) =>
			call('POST', '/live-activity/end', { activity_id, content_state: {}, tags }),
		'the end of its stream': (path, _id, tags) => call('DELETE', path, { content_state: {}, tags }),
		'the next update of its stream': (path, _id, tags) =>
			call('PUT', path, { content_state: {}, tags, ...toOps }),
	};

	async function attempt(how: string) {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const path = `/live-activity/stream/${team.unique('card').replace(' ', '-')}`;
		const { activity_id: id } = await call('PUT', path, { ...shows('Build'), ...toOps });
		await team.setChannel('ops', ['Bob']);
		const tag = team.unique('secret').replace(' ', '-');
		await GOES_ON[how]!(path, id as string, [`${tag}-5000`]);
		// Letter by letter.
		for (const guess of [`search=${tag}-5`, `tag_part=${tag}-5`])
			expect((await done(team.ada.call('GET', `/history?${guess}`)))['deliveries']).toEqual([]);
	}

	/**
	 * Low: whether an old card of theirs is found tells whether the guess is right; the tags themselves are not shown. Smallest
	 * fix: store/history/search.ts messageMatches, compare tags only with pushes, whose tags do not change (phones do not
	 * show those of cards): `and messages.kind = 'push'` beside both conditions on `history.tags_json`.
	 */
	it.failing.each(['an update by its id', 'its end by its id', 'the end of its stream'])(
		'after %s',
		attempt,
	);

	it.each(['the next update of its stream'])('after %s', attempt);
});

describe('one odd alert keeps the others of its group from people', () => {
	const ODD: Array<[string, object]> = [
		['began before all time', { startsAt: '0001-01-01T00:00:00Z' }],
		['began at no time', { startsAt: 'soon' }],
		['began at a number', { startsAt: 5 }],
		['has labels that are a list', { labels: ['a'] }],
		['has half a character', { annotations: { summary: 'a\ud800' } }],
		['has a summary that nobody sees', { annotations: { summary: '\u202E \u2066' } }],
		['comes from a script', { generatorURL: 'javascript:alert(1)' }],
		[
			'comes from an address that is too long',
			{ generatorURL: `https://a.b/${'x'.repeat(9_000)}` },
		],
		['has a very long label', { labels: { severity: 'critical', a: 'x'.repeat(100_000) } }],
	];
	async function attempt(odd: object) {
		const name = team.unique('Disk');
		const body = group(['critical', 'warning'], { name });
		Object.assign(body.alerts[0]!, odd);
		const { status, text } = await send(team.server, '/alertmanager', { key: sender, body });
		expect({ status, text }).toMatchObject({ status: 200 });
		const card = (await team.ada.snapshot()).activities.find(
			({ content_state: { title } }: any) => title === name,
		);
		expect(card.content_state.message).toContain('web-2 is full');
		expect(JSON.stringify(card)).not.toMatch(/javascript:/);
	}
	it.each(ODD)('since it %s', (_what, odd) => attempt(odd));

	it('since it begins at the end of all time', () =>
		attempt({ startsAt: '+275760-09-12T20:00:00Z' }));

	/**
	 * Low: any `__proto__` in a body is a 400, so one label of this name, which Prometheus allows, costs the group: Alertmanager
	 * does not try again. Fix: read the bodies of alert-groups.ts with `onProtoPoisoning: 'remove'` (its labels are copied by zod).
	 */
	it.failing('since it has a label of what every object has', () =>
		attempt({ labels: JSON.parse('{"__proto__":"x","a":"b"}') }),
	);
});

describe('a limited key breaks the search of others by its texts', () => {
	it.each([
		['that look like an escape', String.raw`a\u0000b`],
		['that look like an escaped escape', String.raw`a\\u0000\ud800`],
		['with an end', 'a\u0000b'],
		['with half a character', 'a\ud83db'],
		['that close what is around them', 'a"}]\\'],
		['of patterns', String.raw`%_\%`],
		['of a path of JSON', '$.** ? (@ == 1)'],
	])('%s', async (_which, odd) => {
		const title = `Report ${team.unique('No')}`;
		const payload = { [odd]: odd, deep: [[[{ [odd]: 1e308 }]]] };
		await call('POST', '/push-notification', { title: `${title} ${odd}`, payload }, team.ops);
		await call('POST', '/push-notification', { title, metadata: { of: odd } }, team.ops);
		for (const words of [title, odd.toWellFormed(), '\\', '"', '%_']) {
			const query = `search=${encodeURIComponent(words)}`;
			const { entries } = await done(team.olga.call('GET', `/history?${query}`));
			const { deliveries } = await done(team.ada.call('GET', `/history?${query}`));
			if (words !== title) continue;
			expect([entries.length, deliveries.length]).toEqual([2, 2]);
			expect((await done(team.bob.call('GET', `/history?${query}`)))['deliveries']).toEqual([]);
		}
	});
});

describe('a page of somebody else uses up the attempts of who has opened it', () => {
	it.each<[string, object]>([
		['/login', { email: 'olga@example.com', password: 'x'.repeat(12) }],
		['/link', { token: 'x' }],
		['/join', { token: 'x', name: 'A', email: 'a@example.com', password: 'x'.repeat(12) }],
		['/reset', { token: 'x', password: PASSWORD }],
	])('by %s', async (path, body) => {
		team.server.clock.advance(15 * 60);
		for (let count = 0; count < 40; count += 1)
			for (const site of ['cross-site', 'same-site']) {
				const headers = { 'sec-fetch-site': site };
				expect((await callConsole(team.server, 'POST', path, body, headers)).status).toBe(403);
			}
		// An own attempt counts, and is the first.
		expect((await callConsole(team.server, 'POST', path, body)).status).not.toBe(429);
	});

	it('by pairing, in the ways that need no permission of this server', async () => {
		team.server.clock.advance(60);
		const pairing = (headers: Record<string, string>) =>
			team.server.app.inject({
				method: 'POST',
				url: '/device/pair',
				headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', ...headers },
				payload: JSON.stringify({ code: 'AAAAAAAA', name: 'Evil', platform: 'web' }),
			});
		for (let count = 0; count < 20; count += 1)
			for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
				expect((await pairing({ 'content-type': type })).statusCode).toBe(415);
		const phone = await team.server.pairPhone({ user: 'Ada' });
		await done(phone.call('DELETE', '/'));
	});
});

describe('an escalation lets somebody decide who should not', () => {
	const ask = async (more: object, key = both) =>
		String(
			(
				await call(
					'POST',
					'/questions',
					{
						...ASKED,
						target: toOps,
						escalate: { after_minutes: 5, target: { channels: ['sales'] } },
						...more,
					},
					key,
				)
			)['question_id'],
		);
	const statusOf = async (id: string) => (await call('GET', `/questions/${id}`))['status'];

	const askedOn = async (phone: Team['ada']): Promise<string[]> =>
		(await phone.snapshot()).questions.map(({ push }: any) => push.question.question_id);

	it('who is named, before it reaches them', async () => {
		const id = await ask({ answerable_by: ['Bob'] });
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect((await answerOn(team.ada, id)).body).toMatchObject({ outcome: 'refused' });
		await later(5);
		expect(await done(answerOn(team.bob, id))).toMatchObject({ outcome: 'answered' });
	});

	it('who is named, and has left before it is due', async () => {
		const id = await ask({ answerable_by: ['Bob'] });
		await team.setChannel('sales', []);
		await later(5);
		await team.setChannel('sales', ['Bob']);
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect(await statusOf(id)).toBe('open');
		expect(await askedOn(team.bob)).not.toContain(id);
	});

	it('who got it, and is only in the other channel by the time of the answer', async () => {
		const id = await ask({});
		// Ada has gone from one channel to the other: before the escalation, she is asked by none of them.
		await team.setChannel('ops', []);
		await team.setChannel('sales', ['Ada', 'Bob']);
		expect((await answerOn(team.ada, id)).body).toMatchObject({ outcome: 'refused' });
		await later(5);
		expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'answered' });
	});

	it('once an answer has ended it, or its withdrawal', async () => {
		const answered = await ask({});
		await done(answerOn(team.ada, answered));
		const withdrawn = await ask({});
		await call('DELETE', `/questions/${withdrawn}`);
		await later(5);
		const asked = await askedOn(team.bob);
		expect([answered, withdrawn].filter((id) => asked.includes(id))).toEqual([]);
		expect((await answerOn(team.bob, withdrawn)).status).toBe(404);
	});

	it('to a phone of the key that has left, and is back in a channel of it later', async () => {
		const target = onPhone(team.bob);
		const id = await ask({ escalate: { after_minutes: 5, target } });
		await team.setChannel('sales', []);
		await later(5);
		expect(await call('GET', `/questions/${id}`)).toMatchObject({
			escalated: { devices_notified: 0 },
		});
		await team.setChannel('sales', ['Bob']);
		expect((await answerOn(team.bob, id)).status).toBe(404);
	});

	it('at the time of the deadline: that alone decides', async () => {
		const id = await ask({ deadline: { after_seconds: 300, choice: 'no' } });
		await later(5);
		expect(await call('GET', `/questions/${id}`)).toMatchObject({
			answer: { choice: 'no', by: 'deadline' },
		});
		expect(await askedOn(team.bob)).not.toContain(id);
	});

	it('of another account, by the slug of its phone', async () => {
		const target = { channels: [toPhoneSlug(team.stranger.id)] };
		const asked = { ...ASKED, target: toOps, escalate: { after_minutes: 5, target } };
		for (const key of [both, team.server.account.key])
			expect([400, 403]).toContain(
				(await team.server.call('POST', '/questions', asked, { key })).status,
			);
	});
});
