import { openDatabase } from '../../src/store/open.ts';
import { filesThatHold } from './directory.ts';
import { isOnPostgres, storeSettings } from './store.ts';
import { allRows } from './store-rows.ts';

/**
 * The places where the data of `directory` holds one of `secrets` in clear: names of its files, or of
 * tables in a run on PostgreSQL.
 */
export async function placesThatHold(
	directory: string,
	secrets: readonly string[],
): Promise<string[]> {
	const files = filesThatHold(directory, secrets);
	if (!isOnPostgres) return files;
	const { BECKON_DATABASE_URL: url = '' } = await storeSettings(directory);
	const database = await openDatabase({ directory, url });
	try {
		const tables = Object.entries(await allRows(database.read));
		const holding = tables.filter(([, rows]) =>
			secrets.some((secret) => rows.some((row) => row.includes(secret))),
		);
		return [...files, ...holding.map(([name]) => name)];
	} finally {
		await database.close();
	}
}
