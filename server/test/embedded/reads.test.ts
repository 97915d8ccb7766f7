import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/engine/sqlite/database.ts';
import { temporaryDirectory } from '../support/directory.ts';

describe('reads of the embedded store', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let database: Database;
	beforeEach(async () => {
		directory = temporaryDirectory();
		database = await openSqlite(directory.path);
		// The first read also opens the connection.
		await read();
	});
	afterEach(async () => {
		await database.close();
		directory.remove();
	});

	const read = () => database.read.selectFrom('accounts').select('id').execute();

	/** Rounds of the microtask queue until that many reads, begun together, are done. */
	async function roundsOf(reads: number): Promise<number> {
		let areDone = false;
		const all = Promise.all(Array.from({ length: reads }, read)).then(() => (areDone = true));
		let rounds = 0;
		for (; !areDone; rounds += 1) await Promise.resolve();
		await all;
		return rounds;
	}

	it('do not wait for those begun before, which would wake all of them after each', async () => {
		expect(await roundsOf(500)).toBe(await roundsOf(1));
	});
});
