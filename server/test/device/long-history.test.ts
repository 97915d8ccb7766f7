import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';
import { isOnPostgres } from '../support/store.ts';

/** Several times the number a search examines before others get a turn. */
const DELIVERIES = 4_500;

/** Requests whose stretches may end in the same turn: PostgreSQL's answers arrive together, SQLite has one connection. */
const AT_ONCE = isOnPostgres ? 10 : 1;

describe('the long history of a phone', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
		await server.call('POST', '/push-notification', { title: 'Needle', message: 'the first' });
		await server.call('POST', '/push-notification', { title: 'Straw' });
		const { database } = server.context;
		const { read } = database;
		const history = await read
			.selectFrom('history')
			.selectAll()
			.where('title', '=', 'Straw')
			.executeTakeFirstOrThrow();
		const message = await read
			.selectFrom('messages')
			.selectAll()
			.where('history_id', '=', history.id)
			.executeTakeFirstOrThrow();
		const delivery = await read
			.selectFrom('deliveries')
			.selectAll()
			.where('message_id', '=', message.id)
			.executeTakeFirstOrThrow();
		const { id: _message, ...messageRow } = message;
		const { id: _delivery, ...deliveryRow } = delivery;
		await database.write(server.account.id, async (db) => {
			for (let n = 0; n < DELIVERIES; n += 1) {
				const id = `straw-${n}`;
				await db
					.insertInto('history')
					.values({ ...history, id })
					.execute();
				const { id: stored } = await db
					.insertInto('messages')
					.values({ ...messageRow, history_id: id })
					.returning('id')
					.executeTakeFirstOrThrow();
				await db
					.insertInto('deliveries')
					.values({ ...deliveryRow, message_id: stored })
					.execute();
			}
		});
	});
	afterAll(() => server.close());

	const history = async (query: string) => {
		const { status, body } = await server.phone.call('GET', `/history?${query}`);
		expect(status).toBe(200);
		return body as any;
	};

	it('is searched to its end', async () => {
		const { deliveries, before } = await history('search=needle');
		expect(deliveries).toMatchObject([{ push: { title: 'Needle' } }]);
		expect(before).toBeNull();
	});

	it('comes whole and once, page by page', async () => {
		const ids: number[] = [];
		let query = 'limit=100';
		for (let page = 0; page < 100; page += 1) {
			const { deliveries, before } = await history(query);
			ids.push(...deliveries.map(({ id }: { id: number }) => id));
			if (before === null) break;
			server.clock.advance(10);
			query = `limit=100&before=${before}`;
		}
		expect(ids).toHaveLength(DELIVERIES + 2);
		expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
	});

	/** The turns of others while ten do this at once. */
	const turnsDuring = async (work: () => Promise<unknown>) => {
		let open = 10;
		const works = Array.from({ length: open }, async () => {
			await work();
			open -= 1;
		});
		let turns = 0;
		for (; open > 0; turns += 1) await setImmediate();
		await Promise.all(works);
		return turns;
	};

	it('gives others their turn between stretches, however many search', async () => {
		// Ten searches of 45 stretches each: at least one turn for the others after each.
		expect(await turnsDuring(() => history('search=nowhere'))).toBeGreaterThanOrEqual(
			450 / AT_ONCE,
		);
	});

	it('is counted whole, and gives others their turn between stretches', async () => {
		const counts = new Set<number>();
		const snapshot = async () => counts.add((await server.phone.snapshot()).notification_count);
		// Three stretches each; the first needs no turn.
		expect(await turnsDuring(snapshot)).toBeGreaterThanOrEqual(20 / AT_ONCE);
		expect([...counts]).toEqual([DELIVERIES + 2]);
	});

	it('is cleared and restored whole', async () => {
		const { cursor } = await server.phone.snapshot();
		const { body } = await server.phone.call('POST', '/notifications/clear', { up_to: cursor });
		expect(body).toMatchObject({ cleared: DELIVERIES + 2 });
		expect((await server.phone.snapshot()).notification_count).toBe(0);
		const { undo } = body;
		expect((await server.phone.call('POST', '/notifications/restore', { undo })).body).toEqual({
			restored: DELIVERIES + 2,
		});
		expect((await server.phone.snapshot()).notification_count).toBe(DELIVERIES + 2);
	});
});
