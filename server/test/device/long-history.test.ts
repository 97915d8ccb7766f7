import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Several times the number a search examines before others get a turn. */
const DELIVERIES = 4_500;

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
	}, 120_000);
	afterAll(() => server.close());

	const history = async (query: string) => {
		const { status, body } = await server.phone.call('GET', `/history?${query}`);
		expect(status).toBe(200);
		return body as any;
	};

	it('should be searched to its end', async () => {
		const { deliveries, before } = await history('search=needle');
		expect(deliveries).toMatchObject([{ push: { title: 'Needle' } }]);
		expect(before).toBeNull();
	});

	it('should come whole and once, page by page', async () => {
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

	it('should give others their turn between stretches, however many search', async () => {
		let open = 10;
		const searches = Array.from({ length: open }, async () => {
			await history('search=nowhere');
			open -= 1;
		});
		let turns = 0;
		for (; open > 0; turns += 1) await setImmediate();
		await Promise.all(searches);
		// Ten searches of five stretches each: at least one turn for the others after each.
		expect(turns).toBeGreaterThanOrEqual(50);
	});
});
