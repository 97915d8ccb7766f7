import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { COPIED_TABLES, copyData } from '../../src/store/copy-data.ts';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { fillStore } from '../support/full-store.ts';
import { programs } from '../support/postgres-cluster.ts';
import { runCli, seed, startProcess } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { removeStore, storeSettings } from '../support/store.ts';
import { allRows } from '../support/store-rows.ts';

const EMBEDDED = { BECKON_DATABASE_URL: '' };

/** Stores for a test to fill; removed after it. */
const directories: Array<ReturnType<typeof temporaryDirectory>> = [];
async function emptyDatabase(): Promise<string> {
	const directory = temporaryDirectory();
	directories.push(directory);
	return (await storeSettings(directory.path))['BECKON_DATABASE_URL']!;
}
afterEach(async () => {
	for (const directory of directories.splice(0)) {
		await removeStore(directory.path);
		directory.remove();
	}
});

describe('moving from the embedded store to PostgreSQL', () => {
	let embedded: TestServer;
	let url: string;
	beforeEach(async () => {
		embedded = await startTestServer({ settings: EMBEDDED });
		await fillStore(embedded);
		url = await emptyDatabase();
	});
	afterEach(() => embedded.close());

	it('copies every row of every table as it is', async () => {
		const target = await openDatabase({ directory: '', url });
		const copied = await copyData(embedded.context.database, target);
		const rows = await allRows(embedded.context.database.read);
		// A table left empty by the test proves nothing.
		expect(Object.keys(rows).filter((table) => rows[table]?.length === 0)).toEqual([]);
		expect(await allRows(target.read)).toEqual(rows);
		expect(copied).toEqual(
			Object.fromEntries(COPIED_TABLES.map((table) => [table, rows[table]?.length])),
		);
		await target.close();
	});

	it('keeps keys and phones working, with ids that were never given before', async () => {
		const before = (await embedded.phone.inbox()).at(-1).id;
		await embedded.context.database.write(null, (db) =>
			db.deleteFrom('deliveries').where('id', '=', before).execute(),
		);
		const target = await openDatabase({ directory: '', url });
		await copyData(embedded.context.database, target);
		await target.close();

		const moved = await startTestServer({
			directory: embedded.store.directory,
			settings: { BECKON_DATABASE_URL: url },
		});
		const sent = await moved.call(
			'POST',
			'/push-notification',
			{ title: 'Moved' },
			{ key: embedded.account.key },
		);
		expect(sent.body['devices_notified']).toBe(2);
		const inbox = await moved.app.inject({
			url: '/device/inbox',
			headers: { authorization: `Bearer ${embedded.phone.token}` },
		});
		const newest = inbox.json<{ deliveries: Array<{ id: number }> }>().deliveries.at(-1);
		expect(newest?.id).toBeGreaterThan(before);
		await moved.close();
	});

	it('copies tables that are larger than one statement', async () => {
		const account = embedded.account.id;
		await embedded.context.database.write(account, async (db) => {
			for (let n = 0; n < 5_001; n += 1) {
				await db
					.insertInto('history')
					.values({
						id: `his_${n}`,
						account_id: account,
						kind: 'push',
						title: `${n}`,
						created_at: n,
					})
					.execute();
			}
		});
		const target = await openDatabase({ directory: '', url });
		const { history } = await copyData(embedded.context.database, target);
		expect(history).toBeGreaterThan(5_000);
		await target.close();
	});

	it('refuses a database that has data, and changes nothing in it', async () => {
		const target = await openDatabase({ directory: '', url });
		await copyData(embedded.context.database, target);
		const before = await allRows(target.read);
		await expect(copyData(embedded.context.database, target)).rejects.toThrow(
			/already has data \(in accounts\)/,
		);
		expect(await allRows(target.read)).toEqual(before);
		await target.close();
	});

	it('copies all or nothing', async () => {
		const target = await openDatabase({ directory: '', url });
		const broken = new Error('the power went');
		await expect(
			copyData(embedded.context.database, target, (table) => {
				if (table === 'messages') throw broken;
			}),
		).rejects.toBe(broken);
		expect(Object.values(await allRows(target.read)).flat()).toEqual([]);
		await target.close();
	});
});

describe('beckon-server migrate-data', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	beforeEach(() => {
		directory = temporaryDirectory();
	});
	afterEach(() => directory.remove());
	const migrate = (url: string) =>
		runCli(['migrate-data', '--data', directory.path], { BECKON_DATABASE_URL: url });

	it('prints what it copied, without the password', async () => {
		await seed(directory.path, EMBEDDED);
		const url = await emptyDatabase();
		const { code, stdout, stderr } = await migrate(url);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout).toContain('the row counts match');
		expect(stdout).toMatch(/^accounts +1$/m);
		expect(stdout).not.toContain(new URL(url).password);
	});

	it('waits for a database that takes longer for a table than a server would', async () => {
		await seed(directory.path, EMBEDDED);
		const url = await emptyDatabase();
		const target = await openDatabase({ directory: '', url });
		await sql`
			create function take_long() returns trigger language plpgsql as
			'begin perform pg_sleep(6); return new; end'`.execute(target.read);
		await sql`
			create trigger take_long before insert on accounts
			for each row execute function take_long()`.execute(target.read);
		expect(await migrate(url)).toMatchObject({ code: 0, stderr: '' });
		// The database is used again.
		await sql`drop function take_long() cascade`.execute(target.read);
		await target.close();
	});

	it('refuses while a server runs on the folder, whatever the files there say', async () => {
		const server = await startProcess(directory.path, { settings: EMBEDDED });
		try {
			rmSync(join(directory.path, 'address'));
			const { code, stdout, stderr } = await migrate(await emptyDatabase());
			expect({ code, stdout, stderr }).toEqual({
				code: 1,
				stdout: '',
				stderr: `A server is already running on the data directory ${directory.path}. Stop it first, or name another folder with --data.\n`,
			});
		} finally {
			server.signal('SIGKILL');
			await server.finished;
		}
	});

	it('says what to set when there is no target', async () => {
		const { code, stderr } = await migrate('');
		expect(code).toBe(1);
		expect(stderr).toContain('Set BECKON_DATABASE_URL');
	});
});

describe("a backup by PostgreSQL's own tools", () => {
	it('restores to a database that serves as the first did', async () => {
		const server = await startTestServer();
		await fillStore(server);
		const { url } = server.store;
		const into = temporaryDirectory();
		const file = join(into.path, 'beckon.dump');
		const restored = await emptyDatabase();
		const run = promisify(execFile);
		await run(join(programs(), 'pg_dump'), ['--format=custom', `--file=${file}`, url]);
		await run(join(programs(), 'pg_restore'), [
			'--clean',
			'--if-exists',
			'--no-owner',
			`--dbname=${restored}`,
			file,
		]);

		const copy = await openDatabase({ directory: '', url: restored });
		expect(await allRows(copy.read)).toEqual(await allRows(server.context.database.read));
		await copy.close();
		const second = await startTestServer({
			directory: into.path,
			settings: { BECKON_DATABASE_URL: restored },
		});
		const sent = await second.call(
			'POST',
			'/push-notification',
			{ title: 'Restored' },
			{ key: server.account.key },
		);
		expect(sent.body['devices_notified']).toBe(2);
		await second.close();
		await server.close();
		into.remove();
	});
});
