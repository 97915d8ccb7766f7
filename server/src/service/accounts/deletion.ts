import { deleteAccountRow, deleteOne, shutAccount } from '../../store/accounts/deletion.ts';
import { historyPage } from '../../store/history/history-pages.ts';
import { deleteHistory } from '../../store/history/retention.ts';
import type { Account } from '../../store/schema.ts';
import type { Context } from '../context.ts';

/** Per deletion, as in the retention. */
const ENTRIES_AT_ONCE = 20;

/**
 * Deletes an account with everything that belongs to it: people, phones, keys, history, pictures and sessions. First
 * nothing reaches it any more; then its rows go in small writes, so that other accounts have their turn in between.
 * After a kill, the same command deletes the rest.
 */
export async function deleteAccount(
	{ database, now, openPages }: Context,
	{ id }: Pick<Account, 'id'>,
): Promise<void> {
	await database.write(id, (db) => shutAccount(db, id, now()));
	// All of its phones look, and learn that they are disconnected.
	openPages.metricsChanged(id);
	for (;;) {
		const part = { limit: ENTRIES_AT_ONCE };
		const { rows } = await database.readInTurn((db) => historyPage(db, id, {}, part));
		if (rows.length === 0) break;
		const entries = rows.map((row) => row.id);
		while (!(await database.write(id, (db) => deleteHistory(db, entries))));
	}
	for (const table of ['devices', 'api_keys'] as const)
		while (await database.write(id, (db) => deleteOne(db, table, id)));
	await database.write(id, (db) => deleteAccountRow(db, id));
}
