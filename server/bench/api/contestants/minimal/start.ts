import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../../src/store/open.ts';
import { Load } from '../../load/load.ts';
import { seedAccounts } from '../../seed.ts';
import type { Contestant } from '../contestant.ts';
import type { MinimalSettings, Schema } from './server.ts';

/**
 * The least that the durability guarantee of a push needs on this stack.
 * @param databaseUrl URL of an empty PostgreSQL database; SQLite if empty
 */
export async function startMinimal(
	name: string,
	keys: string[],
	databaseUrl = '',
	schema: Schema = 'two',
): Promise<Contestant> {
	const directory = databaseUrl === '' ? mkdtempSync(join(tmpdir(), 'beckon-minimal-')) : undefined;
	if (schema !== 'two') {
		const database = await openDatabase({ directory: directory ?? '', url: databaseUrl });
		const seeded = { first: 0, accounts: keys.length, phones: 1 };
		await database.write(null, (db) => seedAccounts(db, seeded));
		await database.close();
	}
	const child = fork(join(import.meta.dirname, 'server.ts'), { execArgv: ['--no-warnings'] });
	child.send({ directory, databaseUrl, keys, schema } satisfies MinimalSettings);
	const [{ url }] = (await once(child, 'message')) as [{ url: string }];
	const load = new Load({ url: `${url}/api`, keys });
	return {
		name,
		load,
		phases: ['push'],
		async close() {
			load.close();
			const exited = once(child, 'exit');
			child.disconnect();
			await exited;
			if (directory !== undefined) rmSync(directory, { recursive: true });
		},
	};
}
