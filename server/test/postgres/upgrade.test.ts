import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { holdLines } from '../support/mistakes.ts';
import { NEWER_PROGRAM, NEWEST, NEXT, NEXT_STATEMENTS } from '../support/next-migration.ts';
import { type Cluster, programs, startCluster } from '../support/postgres-cluster.ts';
import { runCli, runJson, seed, startProcess } from '../support/process.ts';
import { expectReadable, RELEASED, restoreReleased } from '../support/released.ts';
import { waitFor } from '../support/wait.ts';

/** Restores as docs/operations.md says. */
const run = promisify(execFile);

let cluster: Cluster;
let directory: ReturnType<typeof temporaryDirectory>;
let url: string;
let settings: { BECKON_DATABASE_URL: string };
beforeAll(async () => {
	cluster = await startCluster();
});
afterAll(() => cluster.remove());
beforeEach(async () => {
	directory = temporaryDirectory();
	await cluster.createDatabase('upgraded');
	url = cluster.urlOf('upgraded');
	settings = { BECKON_DATABASE_URL: url };
});
afterEach(async () => {
	await cluster.dropDatabase('upgraded');
	directory.remove();
});

const newer = (command: readonly string[], more: Record<string, string> = {}) =>
	runCli(command, { ...settings, ...more }, NEWER_PROGRAM);

/** Every column and function of the database, and the migrations that it remembers. */
async function schema() {
	const database = await openDatabase({ directory: '', url }).catch(() => undefined);
	if (database === undefined) return 'refused';
	const columns = await sql`
		select table_name, column_name, data_type from information_schema.columns
		where table_schema = 'public' order by 1, 2`.execute(database.read);
	await database.close();
	return columns.rows;
}

describe.each(RELEASED)('the store of version %s', (version) => {
	beforeEach(() => restoreReleased(version, url));

	it('is migrated, and serves what it did', async () => {
		await runJson(['migrate'], settings);
		await expectReadable(version, { directory: directory.path, settings });
	});

	it('has the schema of a new store then', async () => {
		await runJson(['migrate'], settings);
		const dump = async (name: string) => {
			const command = ['--schema-only', '--no-owner', cluster.urlOf(name)];
			const { stdout } = await run(join(programs(), 'pg_dump'), command);
			// Commands of psql, with a key that each run draws.
			return stdout.replaceAll(/^\\.*\n/gm, '');
		};
		await cluster.createDatabase('fresh');
		await seed(undefined, { BECKON_DATABASE_URL: cluster.urlOf('fresh') });
		expect(await dump('upgraded')).toBe(await dump('fresh'));
		await cluster.dropDatabase('fresh');
	});

	it('can be migrated further, and be restored for the program that it was made for', async () => {
		await runJson(['migrate'], settings);
		const dump = join(directory.path, 'beckon.dump');
		await run(join(programs(), 'pg_dump'), ['--format=custom', `--file=${dump}`, url]);
		expect((await newer(['migrate'])).code).toBe(0);
		expect(await schema()).toBe('refused');
		await cluster.dropDatabase('upgraded');
		await cluster.createDatabase('upgraded');
		await run(join(programs(), 'pg_restore'), ['--no-owner', `--dbname=${url}`, dump]);
		await expectReadable(version, { directory: directory.path, settings });
	});
});

describe('a PostgreSQL database that lacks a migration', () => {
	beforeEach(() => seed(undefined, settings));

	const REFUSED = `The data was written by an older version of Beckon (it lacks ${NEXT}): back it up, stop its servers and run \`beckon-server migrate\`, or start with BECKON_MIGRATE_ON_START=true; nothing was changed.`;

	it('is refused by a start and every command, which say what to do', async () => {
		const before = await schema();
		for (const command of [
			['start', '--port', '0'],
			['account', 'list'],
			['account', 'create', '--name', 'x', '--owner', 'o@example.com'],
		])
			holdLines(await newer(command), REFUSED);
		expect(await schema()).toEqual(before);
	});

	it('is not migrated while a server runs, which the message names', async () => {
		const server = await startProcess(directory.path, { settings });
		try {
			// A server listens to the others soon after it accepts requests.
			let message = '';
			await waitFor('the server to be seen', async () => {
				const database = await openDatabase({ directory: '', url });
				const { rows } = await sql`select 1 from pg_locks where objid = 1384120451`.execute(
					database.read,
				);
				await database.close();
				return rows.length > 0;
			});
			const refused = await newer(['migrate']);
			message = refused.stderr;
			holdLines(
				refused,
				/^A server still runs on the database, from 127\.0\.0\.1 \(connected since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\)\. Stop all of them, then run this again; nothing was changed\.$/,
			);
			expect(message).not.toContain(new URL(url).password);
		} finally {
			server.signal('SIGTERM');
			await server.finished;
		}
		const { code, stdout } = await newer(['migrate']);
		expect({ code, stdout }).toEqual({ code: 0, stdout: `Migrated from ${NEWEST} to ${NEXT}\n` });
		holdLines(
			await runCli(['account', 'list'], settings),
			/^The data was written by a newer version/,
		);
	});

	it('is migrated by a start that may, while servers of the older version go on', async () => {
		const { key } = await runJson(
			['key', 'create', '--account', 'demo', '--name', 'second'],
			settings,
		);
		const more = { ...settings, BECKON_MIGRATE_ON_START: 'true' };
		const old = await startProcess(directory.path, { settings });
		const servers = [old];
		try {
			const started = await startProcess(directory.path, { settings: more, main: NEWER_PROGRAM });
			servers.push(started);
			for (const server of servers) {
				const { status } = await fetch(`${server.url}/api/push-notification`, {
					method: 'POST',
					headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
					body: JSON.stringify({ title: 'Still here' }),
				});
				expect(status).toBe(200);
			}
			started.signal('SIGTERM');
			const { stdout, stderr } = await started.finished;
			expect(JSON.parse(stdout)).toMatchObject({ migrated: { from: NEWEST, to: NEXT } });
			expect(stderr).toContain('the data was migrated');
		} finally {
			for (const server of servers) server.signal('SIGKILL');
			await Promise.all(servers.map((server) => server.finished));
		}
	});

	it('stays as it is in a dry run, which prints the statements', async () => {
		const before = await schema();
		const { migrated } = await runJson(['migrate', '--dry-run'], settings, NEWER_PROGRAM);
		expect(migrated).toEqual({ from: NEWEST, to: NEXT, statements: NEXT_STATEMENTS });
		expect(await schema()).toEqual(before);
	});
});

it('migrate-data refuses a folder of an older version, and leaves both as they are', async () => {
	await seed(directory.path, { BECKON_DATABASE_URL: '' });
	holdLines(
		await newer(['migrate-data', '--data', directory.path]),
		`The data was written by an older version of Beckon (it lacks ${NEXT}): restart the server with this version, or stop it and run \`beckon-server migrate --data ${directory.path}\` without BECKON_DATABASE_URL; nothing was changed.`,
	);
	const accounts = ['account', 'list', '--data', directory.path];
	expect(await runJson(accounts, { BECKON_DATABASE_URL: '' })).toHaveLength(1);
	holdLines(await runCli(['account', 'list'], settings), /has no Beckon store/);
});
