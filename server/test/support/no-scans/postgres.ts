import pg from 'pg';
import { isProgramsQuery, plain } from './statements.ts';

/**
 * In tests on PostgreSQL, it explains each distinct statement of the program when it first runs, with scans disabled: one
 * that it could only run by a scan throws, unless the table is bounded.
 */
const explained = new Set<string>();

/** Tables with a row for each server, migration or channel at Apple, and those with one row. */
const BOUNDED = ['broadcast_channels', 'kysely_migration', 'readiness', 'server_keys'];

const { prototype } = pg.Client;
const { query } = prototype as { query: (...given: unknown[]) => Promise<unknown> };

/** The tables that the statement cannot but scan. */
async function scannedBy(client: pg.Client, text: string): Promise<string[]> {
	const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
	const values = count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`;
	const results = (await query.call(
		client,
		`set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan;
		prepare explained as ${text}; explain execute explained${values}; deallocate explained;
		set local enable_seqscan = on; set local plan_cache_mode = auto`,
	)) as Array<{ command: string; rows: Array<Record<string, string>> }>;
	const plan = results.flatMap(({ rows }) => rows.map((row) => row['QUERY PLAN'] ?? ''));
	return plan.flatMap((line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? []);
}

prototype.query = async function explainedOnce(this: pg.Client, ...given: unknown[]) {
	const { text = '' } = Object(given[0]) as { text?: string };
	if (explained.has(text) || !isProgramsQuery(text)) return query.apply(this, given);
	explained.add(text);
	// Statements of a connection run in order: none may overtake this one while it is explained.
	const [scanned, result] = await Promise.all([scannedBy(this, text), query.apply(this, given)]);
	const wrong = scanned.filter((table) => !BOUNDED.includes(table));
	if (wrong.length === 0) return result;
	explained.delete(text);
	throw new Error(
		`PostgreSQL can only scan ${wrong.join(', ')}, which grow: add an index, or the bound to test/support/no-scans/postgres.ts. The statement: ${plain(text)}`,
	);
} as typeof prototype.query;
