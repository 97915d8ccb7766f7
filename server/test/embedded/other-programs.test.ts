import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { errorCode } from '../../src/store/errors.ts';
import type { Db } from '../../src/store/schema.ts';
import { holdLines } from '../support/mistakes.ts';
import { runCli } from '../support/process.ts';
import { HANGS_MS, waitFor } from '../support/wait.ts';

/** Commands work on the data directory of a running server, however busy. */
describe('two programs that write to one file', () => {
	let directory: string;
	let server: Database;
	let command: Database;
	beforeEach(async () => {
		directory = mkdtempSync(join(tmpdir(), 'beckon-test-'));
		server = await openDatabase({ directory, url: '' });
		command = await openDatabase({ directory, url: '' });
	});
	afterEach(async () => {
		await Promise.all([server.close(), command.close()]);
		rmSync(directory, { recursive: true });
	});

	const account = (name: string) => (db: Db) =>
		db
			.insertInto('accounts')
			.values({ id: name, name, owner_email: name, plan: 'paid', created_at: 0 })
			.execute();

	it('let the second write while the first writes without a break', async () => {
		const began = performance.now();
		let isWritten = false;
		let writes = 0;
		// Each write is followed by the next before it is committed.
		const writeOn = (): Promise<unknown> =>
			server.write(null, async (db) => {
				writes += 1;
				if (!isWritten && performance.now() - began < HANGS_MS) void writeOn();
				return account(`server ${writes}`)(db);
			});
		await writeOn();
		await waitFor('the server to be busy', () => writes > 10);
		await command.write(null, account('command'));
		isWritten = true;
		expect(performance.now() - began).toBeLessThan(HANGS_MS);
		const names = await server.read.selectFrom('accounts').select('name').execute();
		expect(names).toContainEqual({ name: 'command' });
		expect(names.length).toBeGreaterThan(10);
	});

	it('notice each other’s changes after the file could not be read for a moment', async () => {
		const reported: unknown[] = [];
		await server.close();
		server = await openDatabase(
			{ directory, url: '' },
			{ onError: (error, what) => reported.push([error, what]) },
		);
		let changes = 0;
		const stop = server.onRemoteChange(() => (changes += 1));
		const { pragma } = SqliteDatabase.prototype;
		const failure = new Error('disk I/O error');
		SqliteDatabase.prototype.pragma = () => {
			throw failure;
		};
		try {
			await waitFor('the failure', () => reported.length > 0);
		} finally {
			SqliteDatabase.prototype.pragma = pragma;
		}
		await command.write(null, account('command'));
		await waitFor('the change', () => changes === 1);
		expect(reported[0]).toEqual([failure, 'looking for changes of other processes']);
		stop();
	});

	it('have the second say so in a line when the first never ends, and change nothing', async () => {
		let end = () => {};
		const held = server.write(null, () => new Promise<void>((resolve) => (end = resolve)));
		const args = ['--name', 'acme', '--owner', 'o@example.com', '--data', directory];
		holdLines(
			await runCli(['account', 'create', ...args]),
			/^The store failed: database is locked\. Another program may have locked it, .* run the command again\.$/,
		);
		end();
		await held;
		expect(await server.read.selectFrom('accounts').selectAll().execute()).toEqual([]);
	});

	it('know an error by its code, whatever realm its class comes from', () => {
		const foreign = runInNewContext("Object.assign(new Error('no'), { code: 'SQLITE_BUSY' })");
		expect(foreign instanceof Error).toBe(false);
		expect(errorCode(foreign)).toBe('SQLITE_BUSY');
		expect([new Error('no'), null, 'SQLITE_BUSY'].map(errorCode)).toEqual(['', '', '']);
	});
});
