import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { temporaryDirectory } from '../support/directory.ts';
import { seed, type ServerProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const AHEAD_MS = 400 * 24 * 60 * 60 * 1_000;

describe('a server that starts with its clock 400 days ahead', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let server: ServerProcess;
	beforeEach(() => {
		directory = temporaryDirectory();
	});
	afterEach(async () => {
		server.signal('SIGKILL');
		await server.finished;
		directory.remove();
	});

	const inStore = <T>(use: (store: SqliteDatabase.Database) => T): T => {
		const store = new SqliteDatabase(join(directory.path, 'beckon.db'));
		try {
			return use(store);
		} finally {
			store.close();
		}
	};
	const lastTrusted = () =>
		inStore((store) =>
			store
				.prepare("select value_json from server_keys where name = 'last_trusted_time'")
				.pluck()
				.get(),
		);

	it('deletes no history, and says why', async () => {
		const { key } = await seed(directory.path);
		server = await startProcess(directory.path);
		const { status } = await fetch(`${server.url}/api/push-notification`, {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ title: 'A' }),
		});
		expect(status).toBe(200);
		await waitFor('the time in the store', lastTrusted);
		server.signal('SIGTERM');
		await server.finished;

		// The store as that clock finds it.
		inStore((store) => {
			store.exec(`update history set created_at = created_at - ${AHEAD_MS}`);
			store.exec(`update messages set created_at = created_at - ${AHEAD_MS}`);
			store.exec(
				`update server_keys set value_json = value_json - ${AHEAD_MS} where name = 'last_trusted_time'`,
			);
		});
		server = await startProcess(directory.path);
		await waitFor('a word about the clock', () =>
			server.log().includes('The clock is ahead of the last known time'),
		);
		expect(inStore((store) => store.prepare('select title from history').pluck().all())).toEqual([
			'A',
		]);
	});
});
