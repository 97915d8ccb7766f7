import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { insertDeliveries, skipAssignedIds } from '../../src/store/outbox/deliveries.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the ids of deliveries', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	const newestId = async () => {
		await server.call('POST', '/push-notification', { title: 'Order' });
		return (await server.phone.inbox()).at(-1).id as number;
	};
	const start = (now: number) =>
		server.context.database.write(null, (db) => skipAssignedIds(db, now));

	it('continue at the milliseconds since 2026 when a server starts', async () => {
		const now = Date.UTC(2026, 2, 1);
		await start(now);
		expect(await newestId()).toBe(now - Date.UTC(2026, 0, 1) + 1);
		expect(await newestId()).toBe(now - Date.UTC(2026, 0, 1) + 2);
	});

	it('never go back, whatever the clock says', async () => {
		await start(Date.UTC(2026, 2, 1));
		const before = await newestId();
		await start(Date.UTC(2026, 1, 1));
		await start(Date.UTC(1970, 0, 1));
		expect(await newestId()).toBe(before + 1);
	});

	it('are those of the rows of their phones, whatever these have in common', async () => {
		for (let more = 0; more < 3; more += 1) await server.pairPhone();
		await newestId();
		const { database } = server.context;
		const message = await database.read
			.selectFrom('messages')
			.selectAll()
			.executeTakeFirstOrThrow();
		const devices = await database.read.selectFrom('devices').selectAll().execute();
		const deliveries = devices.map((device, place) => ({
			...{ id: 0, attempts: 0, leasedUntil: null, message, device, isHeld: false },
			isMuted: place === 1,
		}));
		await database.write(null, (db) => insertDeliveries(db, deliveries, new Set()));
		const rows = await database.read.selectFrom('deliveries').selectAll().execute();
		const stored = new Map(rows.map((row) => [row.id, row]));
		expect(deliveries.map(({ id }) => stored.get(id))).toMatchObject(
			devices.map(({ id }, place) => ({ device_id: id, muted: place === 1 ? 1 : 0 })),
		);
		expect(new Set(deliveries.map(({ id }) => id)).size).toBe(4);
	});
});
