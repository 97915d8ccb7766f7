import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { deleteAccount } from '../../src/service/accounts/accounts.ts';
import { COPIED_TABLES } from '../../src/store/copy-data.ts';
import { fillStore } from '../support/full-store.ts';
import { outcomesRecorded } from '../support/gateways.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeEach(async () => {
	server = await startTestServer();
});
afterEach(() => server.close());

/** The server's own keys, and Apple's channels of activities, which stay until Apple has deleted them. */
const OTHERS = ['server_keys', 'broadcast_channels'];
const TABLES = COPIED_TABLES.filter((table) => !OTHERS.includes(table));

/** The number of rows of each table. */
async function countRows(): Promise<Record<string, number>> {
	await outcomesRecorded(server);
	await server.context.lastUsed.idle();
	const { read } = server.context.database;
	const counts: Record<string, number> = {};
	for (const table of TABLES)
		counts[table] = (await read.selectFrom(table).selectAll().execute()).length;
	return counts;
}

it('deletes the rows of an account in every table', async () => {
	await fillStore(server);
	expect(Object.entries(await countRows()).filter(([, rows]) => rows === 0)).toEqual([]);
	await deleteAccount(server.context, server.account);
	expect(Object.entries(await countRows()).filter(([, rows]) => rows > 0)).toEqual([]);
	expect((await server.call('POST', '/badge', { badge: 1 })).status).toBe(401);
	expect((await server.phone.call('GET', '/snapshot')).status).toBe(401);
});

it('deletes nothing of another account', async () => {
	const other = await server.addAccount({ name: 'other' });
	const phone = await server.pairPhone({ account: other.id });
	const push = () => server.call('POST', '/push-notification', { title: 'A' }, { key: other.key });
	await push();
	await server.call('POST', '/push-notification', { title: 'B' });
	await server.context.requests.flush();
	await deleteAccount(server.context, server.account);
	expect(await countRows()).toMatchObject({
		accounts: 1,
		users: 1,
		devices: 1,
		api_keys: 1,
		history: 1,
		deliveries: 1,
		request_counts: 1,
	});
	expect((await push()).body['devices_notified']).toBe(1);
	expect(await phone.inbox()).toHaveLength(2);
});

it('goes on where an earlier deletion was interrupted', async () => {
	await server.call('POST', '/push-notification', { title: 'A' });
	const { database } = server.context;
	await database.write(null, (db) => db.deleteFrom('deliveries').execute());
	await deleteAccount(server.context, server.account);
	expect((await countRows())['accounts']).toBe(0);
});
