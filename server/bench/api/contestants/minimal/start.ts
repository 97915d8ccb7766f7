import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../../src/store/open.ts';
import { Load } from '../../load/load.ts';
import { seedAccounts } from '../../seed.ts';
import type { Contestant } from '../contestant.ts';
import type { MinimalSettings } from './server.ts';

/** @param databaseUrl URL of an empty PostgreSQL database; SQLite if empty */
type Start = (name: string, keys: string[], databaseUrl?: string) => Promise<Contestant>;

/** The least anyone needs for the promise of a push on this stack. */
export const startMinimal: Start = (name, keys, databaseUrl = '') =>
	start(name, { keys, databaseUrl, hasOwnTables: false });

/** The same with Beckon's tables, statements and decisions: the most that the rest of Beckon can leave. */
export const startCore: Start = (name, keys, databaseUrl = '') =>
	start(name, { keys, databaseUrl, hasOwnTables: true });

async function start(
	name: string,
	settings: Omit<MinimalSettings, 'directory'>,
): Promise<Contestant> {
	const { keys, databaseUrl, hasOwnTables } = settings;
	const directory = databaseUrl === '' ? mkdtempSync(join(tmpdir(), 'beckon-minimal-')) : undefined;
	if (hasOwnTables) {
		const database = await openDatabase({ directory: directory ?? '', url: databaseUrl });
		const seeded = { first: 0, accounts: keys.length, phones: 1 };
		await database.write(null, (db) => seedAccounts(db, seeded));
		await database.close();
	}
	const child = fork(join(import.meta.dirname, 'server.ts'), { execArgv: ['--no-warnings'] });
	child.send({ ...settings, directory } satisfies MinimalSettings);
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
