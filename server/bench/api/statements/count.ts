import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Loaded into a server with --import: counts SQLite's statements and their time, and writes both to the
 * file named in BENCH_STATEMENTS when the server ends.
 */
const counts = new Map<string, { runs: number; ms: number }>();

type Method = 'all' | 'run' | 'iterate';

const prepare = Reflect.get(Database.prototype, 'prepare') as (
	this: Database.Database,
	sql: string,
) => Database.Statement;
Database.prototype.prepare = function (this: Database.Database, sql: string) {
	const statement = prepare.call(this, sql);
	const count = { runs: 0, ms: 0 };
	counts.set(sql, counts.get(sql) ?? count);
	for (const name of ['all', 'run', 'iterate'] as const satisfies Method[]) {
		const method = statement[name].bind(statement) as (...values: unknown[]) => unknown;
		const timed = (...values: unknown[]) => {
			const begin = performance.now();
			try {
				return method(...values);
			} finally {
				const total = counts.get(sql) ?? count;
				total.runs += 1;
				total.ms += performance.now() - begin;
			}
		};
		Object.defineProperty(statement, name, { value: timed });
	}
	return statement;
} as typeof Database.prototype.prepare;

process.once('exit', () => {
	const file = process.env['BENCH_STATEMENTS'];
	if (file === undefined) return;
	const rows = [...counts].map(([sql, count]) => ({ sql, ...count }));
	writeFileSync(file, JSON.stringify(rows));
});
