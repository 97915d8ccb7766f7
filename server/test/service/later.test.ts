import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { HANDED_OVER } from '../../src/delivery/gateway.ts';
import { laterKinds } from '../../src/service/later/kinds.ts';
import { type LaterKind, Later } from '../../src/service/later/later.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { storeServerPushes } from '../../src/service/sending/outgoing.ts';
import { dueRows } from '../../src/store/due.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { devicesOfAccounts } from '../../src/store/phones/device-audience.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const HOUR = 3_600;

/** What CONTRIBUTING describes: a message that is sent later. Its table is this test's own. */
interface Delayed {
	id: string;
	account_id: string;
	title: string;
	due_at: number;
}

const rows = dueRows('delayed_pushes' as 'snoozes', {
	key: ['id' as 'user_id'],
	at: 'due_at',
	isOnce: true,
}) as unknown as LaterKind<Delayed>['rows'];

const delayed: LaterKind<Delayed> = {
	what: 'delayed pushes',
	rows,
	async handle(db, { context, accountId, rows: due }) {
		const devices = await devicesOfAccounts(db, { accountIds: [accountId] });
		const entry = { accountId, title: 'Delayed', now: context.now() };
		const pushes = due.map(({ title }) => ({ content_json: JSON.stringify({ title }), devices }));
		const sent = await storeServerPushes(db, entry, pushes);
		return { deliveries: sent.flatMap(({ deliveries }) => deliveries) };
	},
};

describe('what happens later', () => {
	let server: TestServer;
	let errors: Array<[what: string, message: string]>;
	beforeEach(async () => {
		errors = [];
		server = await startTestServer({ settings: UNLIMITED });
		const { read } = server.context.database;
		await sql`create table delayed_pushes (id text primary key, account_id text, title text, due_at bigint)`.execute(
			read,
		);
		await sql`create index delayed_pushes_due on delayed_pushes (due_at)`.execute(read);
	});
	afterEach(async () => {
		await sql`drop table delayed_pushes`.execute(server.context.database.read);
		await server.close();
	});

	const later = (kind: LaterKind, context = server.context) =>
		new Later(context, [kind], (error, what) => errors.push([what, String(error)]));
	const add = (account_id: string, ids: readonly string[], due_at = server.clock.now) =>
		server.context.database.write(null, async (db) => {
			const values = ids.map((id) => sql`(${id}, ${account_id}, ${id}, ${due_at})`);
			await sql`insert into delayed_pushes values ${sql.join(values)}`.execute(db);
		});
	const left = async () => {
		const { rows: found } = await sql<{
			id: string;
		}>`select id from delayed_pushes order by id`.execute(server.context.database.read);
		return found.map(({ id }) => id);
	};
	const shown = async () =>
		(await server.phone.snapshot()).notifications.map((one: any) => one.push.title as string);

	it('is a row with a time, a handler and a line', async () => {
		const worker = later(delayed);
		await add(server.account.id, ['Tea'], server.clock.now + HOUR * 1_000);
		server.clock.advance(HOUR - 1);
		expect([await worker.runOnce(), await shown()]).toEqual([0, []]);
		server.clock.advance(1);
		expect([await worker.runOnce(), await shown()]).toEqual([1, ['Tea']]);
		expect([await worker.runOnce(), await left(), errors]).toEqual([0, [], []]);
	});

	it('happens once, whatever the number of servers that look at the same moment', async () => {
		await add(
			server.account.id,
			Array.from({ length: 50 }, (_, n) => `${n}`),
		);
		const made = await Promise.all(Array.from({ length: 5 }, () => later(delayed).runOnce()));
		expect(made.reduce((sum, count) => sum + count, 0)).toBe(50);
	});

	it('happens with what has become of a row since it was found', async () => {
		await add(server.account.id, ['moved', 'stays']);
		const moving: LaterKind<Delayed> = {
			...delayed,
			rows: {
				...rows,
				async find(db, params) {
					const found = await rows.find(db, params);
					await sql`update delayed_pushes set due_at = due_at + 1 where id = 'moved'`.execute(
						server.context.database.read,
					);
					return found;
				},
			},
		};
		expect(await later(moving).runOnce()).toBe(1);
		expect([await left(), await shown()]).toEqual([['moved'], ['stays']]);
	});

	describe('to a row that throws', () => {
		/** Fails for the rows with this in their id. */
		const failing = (bad: string): LaterKind<Delayed> => ({
			...delayed,
			handle(db, due) {
				if (due.rows.some(({ id }) => id.includes(bad))) throw new Error(`No ${bad}`);
				return delayed.handle(db, due);
			},
		});

		it('is logged and put off with back-off, while the others go on', async () => {
			const other = await server.addAccount();
			await add(server.account.id, ['a', 'bad', 'c']);
			await add(other.id, ['bad too']);
			const worker = later(failing('bad'));
			await worker.runOnce();
			expect([await left(), (await shown()).sort()]).toEqual([
				['bad', 'bad too'],
				['a', 'c'],
			]);
			const at = server.clock.now;
			expect(errors.map(([what]) => what).sort()).toEqual(
				[
					`delayed pushes (${server.account.id} bad ${at})`,
					`delayed pushes (${other.id} bad too ${at})`,
				].sort(),
			);
			await worker.runOnce();
			expect(errors).toHaveLength(2);
			// 2.5 to 5 seconds, then twice as many.
			server.clock.advance(5);
			await worker.runOnce();
			expect(errors).toHaveLength(4);
			server.clock.advance(4);
			await worker.runOnce();
			expect(errors).toHaveLength(4);
			server.clock.advance(6);
			await worker.runOnce();
			expect(errors).toHaveLength(6);
		});

		it('does not keep those behind it waiting, however many throw', async () => {
			const ids = Array.from({ length: 520 }, (_, n) => `bad ${n}`);
			await add(server.account.id, ids, server.clock.now - 2);
			await add(server.account.id, ['good'], server.clock.now - 1);
			await later(failing('bad')).runOnce();
			expect([errors.length, await shown()]).toEqual([520, ['good']]);
		});

		it('goes on with the other questions of an account', async () => {
			const ask = async (title: string) => {
				const asked = { title, choices: [{ id: 'yes', title: 'Yes' }] };
				const deadline = { after_seconds: 60 };
				const { body } = await server.call('POST', '/questions', { ...asked, deadline });
				return String(body['question_id']);
			};
			const statusOf = async (id: string) =>
				(await server.call('GET', `/questions/${id}`)).body['status'];
			const [first, bad, last] = [await ask('First'), await ask('Bad'), await ask('Last')];
			const { database } = server.context;
			const { terms_json } = await database.read
				.selectFrom('questions')
				.select('terms_json')
				.where('id', '=', bad)
				.executeTakeFirstOrThrow();
			const set = (terms: string) =>
				database.write(null, (db) =>
					db.updateTable('questions').set({ terms_json: terms }).where('id', '=', bad).execute(),
				);
			await set('{');
			server.clock.advance(60);
			const worker = later(questionTimes);
			await worker.runOnce();
			expect(errors).toEqual([
				[expect.stringContaining(bad), expect.stringContaining('SyntaxError')],
			]);
			await set(terms_json);
			expect([await statusOf(first), await statusOf(last)]).toEqual(['expired', 'expired']);
			server.clock.advance(5);
			await worker.runOnce();
			expect([await statusOf(bad), errors.length]).toEqual(['expired', 1]);
		});
	});

	it.each(laterKinds({ reloadWidgets: () => Promise.resolve(HANDED_OVER) }))(
		'looks again for $what if it could not look once',
		async (kind) => {
			const looks: string[] = [];
			const failing: LaterKind = {
				...kind,
				rows: {
					...kind.rows,
					async find(db, params) {
						looks.push(kind.what);
						if (looks.length === 1) throw new Error('Once');
						return kind.rows.find(db, params);
					},
				},
			};
			const worker = later(failing);
			await worker.runOnce();
			expect(errors).toEqual([[kind.what, 'Error: Once']]);
			await worker.runOnce();
			expect([looks.length, errors.length]).toEqual([2, 1]);
		},
	);

	it('is tried again at once after a failure of the store, which is no fault of a row', async () => {
		await add(server.account.id, ['Tea']);
		const { context } = server;
		let isDown = true;
		const database = Object.create(context.database, {
			read: { value: context.database.read },
			write: {
				value: (...args: Parameters<typeof context.database.write>) => {
					if (isDown) return Promise.reject(new StoreUnavailableError('Down'));
					return context.database.write(...args);
				},
			},
		});
		const worker = later(delayed, { ...context, database });
		expect(await worker.runOnce()).toBe(0);
		expect(errors).toEqual([['delayed pushes', expect.stringContaining('1 of 1 accounts')]]);
		isDown = false;
		expect(await worker.runOnce()).toBe(1);
	});

	describe('with a call', () => {
		/** Calls that have begun, each with what ends it. */
		let begun: Map<string, () => void>;
		const calling = (ofAccount: number, all: number): LaterKind<Delayed> => ({
			...delayed,
			calls: { perOwner: 5, perAccount: ofAccount, total: all },
			handle: (_db, due) =>
				Promise.resolve({
					calls: due.rows.map(({ id }) => () => {
						const { promise, resolve } = Promise.withResolvers<undefined>();
						begun.set(id, () => resolve(undefined));
						return promise;
					}),
				}),
		});
		const endAll = () => {
			for (const end of begun.values()) end();
		};
		beforeEach(() => void (begun = new Map()));

		it('makes a few of each account, and a few of all', async () => {
			await add(server.account.id, ['a1', 'a2', 'a3', 'a4'], server.clock.now - 1);
			await add((await server.addAccount()).id, ['b1', 'b2', 'b3']);
			const worker = later(calling(2, 3));
			const looked = [worker.runOnce(), worker.runOnce()];
			await waitFor('the calls', () => begun.size === 3);
			expect([...begun.keys()].sort()).toEqual(['a1', 'a2', 'b1']);
			endAll();
			await Promise.all(looked);
			const next = worker.runOnce();
			await waitFor('the next calls', () => begun.size === 6);
			endAll();
			await next;
			expect(await left()).toHaveLength(1);
		});

		it('is waited for when the server stops, and none begins any more', async () => {
			await add(server.account.id, ['a']);
			const worker = later(calling(10, 10));
			worker.start();
			await waitFor('the call', () => begun.size === 1);
			let isStopped = false;
			const stopped = worker.stop().then(() => (isStopped = true));
			await add(server.account.id, ['b']);
			await new Promise((resolve) => setImmediate(resolve));
			expect(isStopped).toBe(false);
			endAll();
			await stopped;
			expect([...begun.keys()]).toEqual(['a']);
		});
	});
});
