import { deleteSelected } from './engine/by-key.ts';
import { insertStatement } from './engine/json-rows.ts';
import { isAmong, statement } from './engine/statement.ts';
import { columnsOf, type Db, type KeptAnswer } from './schema.ts';

const COLUMNS = columnsOf('idempotency_keys');

export const keptAnswers = statement<{ hashes: readonly string[] }, KeptAnswer>((db, { hashes }) =>
	db
		.selectFrom('idempotency_keys')
		.select(COLUMNS)
		.where(isAmong(db, 'hash', hashes)),
);

/** Replaces what a key had before. */
export const keepAnswers = insertStatement('idempotency_keys', COLUMNS, {
	replace: { key: ['hash'] },
});

/** @returns the number deleted, at most `limit` */
export function deleteKeptAnswers(db: Db, before: number, limit: number): Promise<number> {
	const some = db
		.selectFrom('idempotency_keys')
		.select('hash')
		.where('created_at', '<', before)
		.orderBy('created_at')
		.limit(limit);
	return deleteSelected(db, 'idempotency_keys', 'hash', some);
}
