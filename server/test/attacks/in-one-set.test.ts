import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { endActivities } from '../support/server.ts';
import {
	ASKED,
	cardsOn,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts with requests that arrive together, which the server decides in one set, with one load of channels, people,
 * phones and streams for all of them (`decideInSet`): what was loaded for another key must not widen what a limited key
 * may do. And with requests that take so long that all others wait. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
beforeAll(async () => {
	team = await startTeam({ BECKON_QUESTIONS_OPEN: '1000' });
});
afterEach(async () => {
	for (const phone of [team.ada, team.bob]) {
		await withdrawOpen(team.server, phone);
		await endActivities({ ...team.server, phone });
	}
	team.server.clock.advance(60);
});
afterAll(() => team.server.close());

type Call = [method: 'POST' | 'PUT' | 'DELETE', path: string, body: object | undefined];

const by = (key: string, [method, path, body]: Call) =>
	team.server.call(method, path, body, { key });
const all = () => team.server.account.key;
const toSales = { target: { channels: ['sales'] } };
const streamKey = () => team.unique('stream').replace(' ', '-');

/** The limited key of `ops` among many requests of others, which may do the same. @returns the statuses of `ops` */
async function among(own: Call, others: () => Call): Promise<number[]> {
	const sent = Array.from({ length: 12 }, (_, index) =>
		index % 3 === 1 ? by(team.ops, own) : by(index % 2 === 0 ? all() : team.sales, others()),
	);
	const answers = await Promise.all(sent);
	const allowed = answers.filter((_, index) => index % 3 !== 1).map(({ status }) => status);
	expect(new Set(allowed)).toEqual(new Set([200]));
	return answers.filter((_, index) => index % 3 === 1).map(({ status }) => status);
}

describe('a limited key does what the others of its set may', () => {
	const TITLE = 'Of ops';
	const CALLS: Record<string, (title: string, to: object) => Call> = {
		'a push': (title, target) => ['POST', '/push-notification', { title, ...target }],
		'a question': (title, target) => ['POST', '/questions', { ...ASKED, title, ...target }],
		'a badge': (_title, target) => ['POST', '/badge', { badge: 9, ...target }],
		'a repeat': (title, target) => [
			'POST',
			'/push-notification/repeated',
			{ push: { title, ...target }, repeat: { every_minutes: 5, times: 1 } },
		],
	};
	const told = async () => JSON.stringify([await team.bob.inbox(), await team.bob.snapshot()]);

	it.each(Object.keys(CALLS))('by %s to their channel: 403', async (what) => {
		const call = CALLS[what]!;
		const statuses = await among(call(TITLE, toSales), () => call('Theirs', toSales));
		expect(new Set(statuses)).toEqual(new Set([403]));
		expect(await told()).not.toContain(TITLE);
	});

	it.each(Object.keys(CALLS))('by %s to a phone in it: 403', async (what) => {
		const [call, target] = [CALLS[what]!, { target: onPhone(team.bob) }];
		const statuses = await among(call(TITLE, target), () => call('Theirs', target));
		expect(new Set(statuses)).toEqual(new Set([403]));
		expect(await told()).not.toContain(TITLE);
	});

	it('by the escalation of its question to their channel, or phone', async () => {
		for (const target of [toSales.target, onPhone(team.bob)]) {
			const escalate = { after_minutes: 1, target };
			const theirs = { ...ASKED, ...toSales, escalate };
			const own: Call = ['POST', '/questions', { ...ASKED, escalate }];
			expect(new Set(await among(own, () => ['POST', '/questions', theirs]))).toEqual(
				new Set([403]),
			);
		}
	});

	it('by naming, as the only one who may answer, a person whom they reach', async () => {
		const own: Call = ['POST', '/questions', { ...ASKED, answerable_by: ['Bob'] }];
		const theirs = { ...ASKED, ...toSales, answerable_by: ['Bob'] };
		expect(new Set(await among(own, () => ['POST', '/questions', theirs]))).toEqual(new Set([422]));
	});

	it('by a change of their stream: it stays as they send it', async () => {
		const path = `/live-activity/stream/${streamKey()}`;
		await done(by(all(), ['PUT', path, { ...shows('Theirs'), ...toSales }]));
		const own: Call = ['PUT', path, shows(TITLE)];
		const statuses = await among(own, () => ['PUT', path, { ...shows('Theirs'), ...toSales }]);
		expect(new Set(statuses)).toEqual(new Set([403]));
		expect(await told()).not.toContain(TITLE);
		const cards = (await cardsOn(team.bob)).filter((title) => title === TITLE);
		expect(cards).toEqual([]);
	});

	it.each(['update', 'end'])('by an %s of their Live Activity', async (how) => {
		const started = await done(
			by(all(), ['POST', '/live-activity/start', { ...shows('Theirs'), ...toSales }]),
		);
		const path = `/live-activity/${how}`;
		const of = (title: string) => ({ activity_id: started['activity_id'], ...shows(title) });
		const statuses = await among(['POST', path, of(TITLE)], () => [
			'POST',
			'/live-activity/update',
			of('Theirs'),
		]);
		expect(new Set(statuses)).toEqual(new Set([403]));
		expect(await told()).not.toContain(TITLE);
	});

	it('by the end of a stream that goes to others in the same moment: theirs is still there', async () => {
		for (let round = 0; round < 4; round += 1) {
			const key = streamKey();
			const path = `/live-activity/stream/${key}`;
			await done(by(team.ops, ['PUT', path, shows(`Own ${key}`)]));
			const [, moved] = await Promise.all([
				by(team.ops, ['DELETE', path, undefined]),
				by(all(), ['PUT', path, { ...shows(key), ...toSales }]),
				by(team.ops, ['DELETE', path, undefined]),
				by(team.ops, ['PUT', path, shows(`Late ${key}`)]),
			]);
			expect(moved.status).toBe(200);
			const shown = JSON.stringify(await team.bob.inbox());
			expect(shown).toContain(key);
			expect(shown).not.toMatch(`Late ${key}`);
			expect(shown).not.toMatch(`Own ${key}`);
			await team.server.call('DELETE', path);
		}
	});

	it('by a badge together with theirs: each phone has that of its channel', async () => {
		const sent = Array.from({ length: 6 }, () => [
			by(team.ops, ['POST', '/badge', { badge: 5 }]),
			by(team.sales, ['POST', '/badge', { badge: 6 }]),
		]);
		for (const { status } of await Promise.all(sent.flat())) expect(status).toBe(200);
		expect([(await team.ada.snapshot()).badge, (await team.bob.snapshot()).badge]).toEqual([5, 6]);
	});

	it('by a sequence of the same name: theirs is not replaced', async () => {
		const headers = { 'x-sequence-id': streamKey() };
		const push = (key: string, title: string) =>
			team.server.call('POST', '/push-notification', { title }, { key, headers });
		for (const answer of await Promise.all([
			push(team.sales, 'Kept by sales'),
			push(team.ops, 'First of ops'),
			push(team.ops, 'Last of ops'),
		]))
			expect(answer.status).toBe(200);
		const titles = async (phone: Team['ada']) =>
			(await phone.snapshot()).notifications.map(({ push: { title } }: any) => title);
		expect(await titles(team.bob)).toContain('Kept by sales');
		const own = (await titles(team.ada)).filter((title: string) => title.endsWith(' of ops'));
		expect(own).toHaveLength(1);
	});
});

describe('another account is in the same set', () => {
	it('with streams of the same key, and Live Activities by their ids: each has its own', async () => {
		const path = `/live-activity/stream/${streamKey()}`;
		const sent = Array.from({ length: 4 }, (_, n) => [
			by(all(), ['PUT', path, shows(`Ours ${n}`)]),
			by(team.strangersKey, ['PUT', path, shows(`Foreign ${n}`)]),
		]);
		const answers = await Promise.all(sent.flat());
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		const ids = answers.map(({ body }) => String(body['activity_id']));
		expect(new Set(ids).size).toBe(2);
		expect(JSON.stringify(await team.stranger.inbox())).not.toContain('Ours');
		expect(JSON.stringify(await team.ada.inbox())).not.toContain('Foreign');
		const foreign = ids[1];
		const [own, theirs] = await Promise.all([
			by(all(), ['POST', '/live-activity/end', { activity_id: foreign, content_state: {} }]),
			by(team.strangersKey, [
				'POST',
				'/live-activity/update',
				{ activity_id: foreign, ...shows('Foreign again') },
			]),
		]);
		expect([own.status, theirs.status]).toEqual([403, 200]);
		expect(await cardsOn(team.stranger)).toContain('Foreign again');
		await by(team.strangersKey, ['DELETE', path, undefined]);
	});

	it('with our people, phones and channels by their names: none is reached', async () => {
		const calls: Call[] = [
			['POST', '/push-notification', { title: 'Foreign', target: { channels: ['ops'] } }],
			['POST', '/push-notification', { title: 'Foreign', target: onPhone(team.ada) }],
			['POST', '/questions', { ...ASKED, title: 'Foreign', answerable_by: ['Ada'] }],
			['POST', '/badge', { badge: 8, target: onPhone(team.ada) }],
		];
		const sent = calls.flatMap((call) => [by(all(), call), by(team.strangersKey, call)]);
		const answers = await Promise.all(sent);
		expect(answers.map(({ status }) => status)).toEqual(calls.flatMap(() => [200, 400]));
		expect(JSON.stringify(await team.stranger.inbox())).not.toContain('Deploy?');
	});
});

describe('one request takes so long that those of other accounts wait', () => {
	// Each word is looked for in the whole content of each message, and one statement blocks everything else on SQLite.
	it.each(['/history', '/history.csv', '/audit', '/users', '/devices', '/channels'])(
		'by the many words for which a member searches: %s refuses more than eight',
		async (path) => {
			const search = (count: number) => `${path}?search=${Array(count).fill('ä').join('+')}`;
			expect((await team.olga.call('GET', search(8))).status).toBe(200);
			const { status, body } = await team.olga.call('GET', search(9));
			expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('8 words')]);
		},
	);

	it('by the many words for which a phone searches: more than eight are refused', async () => {
		const search = (count: number) => `/history?search=${Array(count).fill('ä').join('+')}`;
		expect((await team.ada.call('GET', search(8))).status).toBe(200);
		expect((await team.ada.call('GET', search(9))).body).toMatchObject({
			message: 'search must have at most 8 words.',
		});
	});

	// U+FDFA becomes 18 letters, and a name is compared with all others of the account, in the write that adds it.
	it('by names that become much longer when they are compared', async () => {
		const name = '\uFDFA'.repeat(58);
		const { status, body } = await team.max.call('POST', '/users', { name });
		expect([status, body.message]).toEqual([400, 'name is too long with ligatures spelled out.']);
		const emoji = { name: '🚀'.repeat(64) };
		expect((await team.max.call('POST', '/users', emoji)).status).toBe(200);
	});
});
