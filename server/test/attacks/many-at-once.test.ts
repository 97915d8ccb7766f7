import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../support/server.ts';
import { isOnPostgres } from '../support/store.ts';
import { callConsole, PASSWORD } from '../console/support/console.ts';
import { done, startTeam, type Team } from './support/team.ts';

/**
 * Attempts of one person to hold up others by very many calls at once, or to make more of them than are counted. Max is a
 * member; his account has many people, whom any member can add.
 */

let team: Team;
const NAMES = Array.from({ length: 500 }, (_, at) => `Person number ${at}`);
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_NOTIFICATIONS: '60' });
	const { account, context } = team.server;
	await context.database.write(account.id, async (db) => {
		for (const [at, name] of NAMES.entries()) {
			const person = { id: `usr_${at}`, account_id: account.id, name, created_at: 0 };
			await db.insertInto('users').values(person).execute();
		}
	});
	await done(team.max.call('POST', '/channels', { slug: 'large', users: NAMES }));
});
afterAll(() => team.server.close());

const MANY = 60;
const push = (more = {}) => team.server.call('POST', '/push-notification', { title: 'T' }, more);

/** Calls of Max; most take long. */
const WAYS: Record<string, (at: number) => Promise<Answer>> = {
	'changes of a channel with many people': (at) =>
		team.max.call('PUT', '/channels/large', { users: NAMES.slice(at % 2) }),
	'names that are taken': () => team.max.call('POST', '/users', { name: NAMES[0] }),
	'own names that are taken': () => team.max.call('PUT', '/profile', { name: NAMES[0] }),
	'looking at a channel with many people': () => team.max.call('GET', '/channels/large'),
	'the history as a table': () => team.max.call('GET', '/history.csv'),
	'searches of people': () => team.max.call('GET', '/users?search=1'),
	'searches of the history': () => team.max.call('GET', '/history?search=a+b+c+d+e+f+g+h'),
};
const OTHERS: Record<string, () => Promise<Answer>> = {
	'a push of the account': () => push(),
	'a push of another account': () => push({ key: team.strangersKey }),
	'the lock screen of a colleague': () => team.ada.call('GET', '/snapshot'),
	'the history on a phone of another account': () => team.stranger.call('GET', '/history'),
};
const [ofAccount = '', ofOther = '', , history = ''] = Object.keys(OTHERS);

/** @returns how many of Max’s calls, which came before, were over when the other one was answered */
async function overBefore(way: string, other: string): Promise<number> {
	team.server.clock.advance(60);
	let over = 0;
	const all = Array.from({ length: MANY }, async (_, at) => {
		await WAYS[way]!(at);
		over += 1;
	});
	await setImmediate();
	await done(OTHERS[other]!());
	const before = over;
	await Promise.all(all);
	return before;
}

describe('a member holds up others by very many calls at once', () => {
	// The writes that wait form one group (GroupCommit), whose jobs give the event loop no turn on SQLite. Before a member’s
	// calls waited for their turn, 1,000 such changes blocked it for 25 seconds, and a push of another account took 29.
	// On PostgreSQL, other accounts do not wait, but the same one does.
	const CHANGES = 'changes of a channel with many people';
	it(`by ${CHANGES}: not ${ofOther}`, async () => {
		expect(await overBefore(CHANGES, ofOther)).toBeLessThan(MANY / 2);
	});
	if (!isOnPostgres)
		it(`by ${CHANGES}: not ${ofAccount}`, async () => {
			expect(await overBefore(CHANGES, ofAccount)).toBeLessThan(MANY / 2);
		});

	// Each compares all people, which any member can add; and since it throws, all jobs of its group run twice.
	const NAMES_TAKEN = ['names that are taken', 'own names that are taken'];
	const PUSHES = [ofAccount, ofOther];
	if (!isOnPostgres)
		it.each(NAMES_TAKEN.flatMap((way) => PUSHES.map((other) => [way, other] as const)))(
			'by %s: not %s',
			async (way, other) => {
				expect(await overBefore(way, other)).toBeLessThan(MANY / 2);
			},
		);

	// Reads that take turns (Database.readInTurn) are in one line for all accounts.
	if (!isOnPostgres)
		it(`by searches of the history: not ${history}`, async () => {
			expect(await overBefore('searches of the history', history)).toBeLessThan(MANY / 2);
		});

	const READS = [
		'looking at a channel with many people',
		'the history as a table',
		'searches of people',
	];
	// On PostgreSQL, what is over first depends on its connections.
	if (!isOnPostgres)
		it.each(READS.flatMap((way) => Object.keys(OTHERS).map((other) => [way, other] as const)))(
			'by %s: not %s',
			async (way, other) => {
				expect(await overBefore(way, other)).toBeLessThan(MANY / 2);
			},
		);

	it('by calls that are refused, as they come without the token of the session', async () => {
		const { cookie } = team.max;
		const all = Array.from({ length: MANY }, () =>
			callConsole(team.server, 'PUT', '/channels/large', { users: NAMES.slice(1) }, { cookie }),
		);
		expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([403]));
		const { user_count: people } = await done(team.max.call('GET', '/channels/large'));
		expect(people).toBeGreaterThanOrEqual(NAMES.length - 1);
	});
});

describe('a person makes more calls than are counted', () => {
	it('of one phone at once: ten are in progress', async () => {
		const all = Array.from({ length: MANY }, () => team.bob.call('GET', '/history'));
		const statuses = (await Promise.all(all)).map(({ status }) => status);
		expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(10);
		expect(new Set(statuses)).toEqual(new Set([200, 429]));
	});

	it.each<[string, (at: number) => Record<string, string>]>([
		['as if it passed proxies', (at) => ({ 'x-forwarded-for': `203.0.113.${at}` })],
		['as if it passed one of the standard', (at) => ({ forwarded: `for=203.0.113.${at}` })],
		['with the address of a client', (at) => ({ 'x-real-ip': `203.0.113.${at}` })],
		['with the cookie of a browser', (at) => ({ cookie: `beckon_browser=b${at}` })],
	])('with wrong passwords, %s', async (_how, toHeaders) => {
		team.server.clock.advance(3_600);
		const email = `${team.unique('guessed').replace(' ', '')}@example.com`;
		const statuses: number[] = [];
		for (let at = 0; at < 12; at += 1) {
			const given = { email, password: `wrong ${PASSWORD} ${at}` };
			const { status } = await callConsole(team.server, 'POST', '/login', given, toHeaders(at));
			statuses.push(status);
		}
		expect(statuses.slice(-2)).toEqual([429, 429]);
	});

	it('by pushes from the Playground: they use what the account has', async () => {
		team.server.clock.advance(60);
		const sent = { request: 'push', body: { title: 'T', target: { channels: ['ops'] } } };
		const all = Array.from({ length: 70 }, () => team.max.call('POST', '/playground/send', sent));
		const statuses = (await Promise.all(all)).map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(60);
	});

	it('by sending again what was sent', async () => {
		team.server.clock.advance(60);
		await done(push());
		const { entries } = await done(team.max.call('GET', '/history'));
		const path = `/history/${entries[0].id}/send`;
		const all = Array.from({ length: 70 }, () => team.max.call('POST', path));
		const statuses = (await Promise.all(all)).map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(59);
	});

	it('by test pushes to the phone of a colleague: they use what the account has', async () => {
		team.server.clock.advance(60);
		const path = `/devices/${team.bob.id}/test`;
		const all = Array.from({ length: 70 }, () => team.max.call('POST', path));
		const statuses = (await Promise.all(all)).map(({ status }) => status);
		expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(60);
	});
});
