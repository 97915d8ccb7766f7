import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { skipAssignedIds } from '../../src/store/outbox/delivery-ids.ts';
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
});
