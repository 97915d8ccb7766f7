import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { toStorageFailure } from '../../src/service/refusal.ts';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { seed, type ServerProcess, startProcess } from '../support/process.ts';
import { removeStore, storeSettings } from '../support/store.ts';
import { waitFor } from '../support/wait.ts';

describe('a statement that the store cannot run', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let server: ServerProcess;
	let key: string;
	beforeEach(async () => {
		directory = temporaryDirectory();
		({ key } = await seed(directory.path));
		server = await startProcess(directory.path);
	});
	afterEach(async () => {
		server.signal('SIGKILL');
		await server.finished;
		directory.remove();
		await removeStore(directory.path);
	});

	it('is a 500, and named in the log without its values', async () => {
		const { BECKON_DATABASE_URL: url = '' } = await storeSettings(directory.path);
		const database = await openDatabase({ directory: directory.path, url });
		await sql`alter table history rename to away`.execute(database.read);
		await database.close();
		const answer = await fetch(`${server.url}/api/push-notification`, {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ title: 'private words', tags: ['private-tag'] }),
		});
		expect(answer.status).toBe(500);
		const { request_id: id } = (await answer.json()) as { request_id: string };
		const logged = () =>
			server
				.log()
				.split('\n')
				.find((line) => line.includes(id) && line.endsWith('}'));
		await waitFor('the line in the log', () => logged() !== undefined);
		expect(JSON.parse(logged()!)).toMatchObject({
			msg: 'request failed',
			err: { statement: expect.stringMatching(/^insert into "history" \("id", /) },
		});
		expect(server.log()).not.toContain('private');
	});
});

describe("SQLite's errors", () => {
	const failureOf = (code: string) => toStorageFailure(Object.assign(new Error('no'), { code }));

	it.each([
		...['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL', 'SQLITE_FULL'],
		...['SQLITE_IOERR_WRITE', 'SQLITE_CANTOPEN', 'SQLITE_READONLY_DBMOVED', 'SQLITE_NOMEM'],
		'SQLITE_ABORT',
	])('%s may be over at the next attempt', (code) => {
		expect(failureOf(code)).toBe('unavailable');
	});

	it.each([
		...['SQLITE_ERROR', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_MISMATCH', 'SQLITE_RANGE'],
		...['SQLITE_MISUSE', 'SQLITE_SCHEMA', 'SQLITE_TOOBIG', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB'],
	])('%s is not', (code) => {
		expect(failureOf(code)).toBeUndefined();
	});
});
