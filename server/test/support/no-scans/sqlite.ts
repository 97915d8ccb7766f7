import SqliteDatabase from 'better-sqlite3';
import { isProgramsQuery, plain } from './statements.ts';

/**
 * In tests, SQLite explains each distinct statement of the program when it is first prepared: one that reads a table, or
 * an index, as a whole throws, unless what it reads is bounded. Tests themselves may read what they like.
 */
interface Bounded {
	/** The step of SQLite's plan. */
	step: RegExp;
	/** Only in these statements. */
	statement?: RegExp;
	because: string;
}

const BOUNDED: readonly Bounded[] = [
	{ step: / USING INDEX deliveries_due$/, because: 'the index has only what is still to be sent' },
	{ step: /^SCAN broadcast_channels$/, because: 'Apple allows an app 10,000 channels' },
	{ step: /^SCAN sqlite_sequence$/, because: 'it has a row for each of a few tables' },
	{ step: /^SCAN kysely_migration\b/, because: 'it has a row for each migration' },
	{
		step: /^SCAN accounts USING COVERING INDEX/,
		statement: /exists \(select "history"\."id" from "history"/,
		because: 'it is done once an hour, by one look-up for each',
	},
	{
		step: /^SCAN (deliveries|history|triggers)\b/,
		statement: /^delete from "(devices|api_keys)" where id in \( select id .* limit 1 \)$/,
		because: 'the command that deletes an account does it for one row at a time',
	},
];

const { prototype } = SqliteDatabase;
const { prepare } = prototype;

/** Statements of which SQLite scans nothing that grows; a worker keeps them for all of its test files. */
const explained = new Set<string>();

function stepsOf(connection: SqliteDatabase.Database, text: string): string[] {
	const values = Array<null>(text.split('?').length - 1).fill(null);
	const plan = prepare.call(connection, `explain query plan ${text}`) as SqliteDatabase.Statement<
		unknown[],
		{ detail: string }
	>;
	return plan.all(...values).map(({ detail }) => detail);
}

/** The steps that read the whole of a table or an index, or make an index of it. */
function scansAmong(steps: readonly string[]): string[] {
	const derived = steps.flatMap(
		(step) => /^(?:MATERIALIZE|CO-ROUTINE) (\S+)/.exec(step)?.[1] ?? [],
	);
	return steps.filter((step) => {
		const [, name = ''] = /^(?:SCAN|SEARCH) (\w+)/.exec(step) ?? [];
		if (name === '' || derived.includes(name)) return false;
		if (step.includes('USING AUTOMATIC')) return true;
		return /^SCAN (?!.*(VIRTUAL TABLE|CONSTANT ROW|-ROW VALUES CLAUSE))/.test(step);
	});
}

prototype.prepare = function explainedOnce(this: SqliteDatabase.Database, sql: string) {
	if (!explained.has(sql) && isProgramsQuery(sql)) {
		const text = plain(sql);
		const scans = scansAmong(stepsOf(this, sql)).filter(
			(scan) =>
				!BOUNDED.some(({ step, statement }) => step.test(scan) && (statement?.test(text) ?? true)),
		);
		if (scans.length > 0)
			throw new Error(
				`${scans.join(', ')} reads what grows: add an index, or its bound to test/support/no-scans/sqlite.ts. The statement: ${text}`,
			);
		explained.add(sql);
	}
	return prepare.call(this, sql);
} as typeof prepare;
