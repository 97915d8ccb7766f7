import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { startTestServer } from '../support/server.ts';

it('takes a store of the first release to the present one, with all its rows', async () => {
	const directory = temporaryDirectory();
	const server = await startTestServer({ directory: directory.path });
	const { id } = await server.addAccount({ name: 'acme' });
	await server.context.database.write(null, async (db) => {
		await sql`drop table idempotency_keys`.execute(db);
		await sql`delete from kysely_migration where name not like '0001%'`.execute(db);
	});
	const location = server.store;
	await server.close();

	const database = await openDatabase(location);
	const accounts = await database.read.selectFrom('accounts').select(['id', 'name']).execute();
	expect(accounts).toEqual([{ id, name: 'acme' }]);
	expect(await database.read.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
	await database.close();
	directory.remove();
});
