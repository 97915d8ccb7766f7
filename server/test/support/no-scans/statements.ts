import { DefaultQueryExecutor, type QueryExecutor } from 'kysely';

/** Files that run statements written elsewhere. */
const PASSES_ON = /\/(collections|slots)\.ts|\/store\/engine\/|\/support\/no-scans|node_modules/;

const programs = new Set<string>();

/** Whether the innermost function that has written a statement is the program's, and not a test's. */
function isProgramsOwn(stack = ''): boolean {
	const ours = stack.split('\n').filter((line) => /server\/(src|test|bench|scripts)\//.test(line));
	const origin = ours.find((line) => !PASSES_ON.test(line));
	return origin === undefined || origin.includes('server/src/');
}

/**
 * Who has written a statement is known when Kysely gets it: a connection runs it in its turn. Of every kind of
 * executor.
 */
const base = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as QueryExecutor;
const { executeQuery } = base;
base.executeQuery = function noted(compiled, ...others) {
	if (!programs.has(compiled.sql) && isProgramsOwn(new Error('The origin').stack))
		programs.add(compiled.sql);
	return executeQuery.call(this, compiled, ...others) as never;
};

/** Without the mark that a statement may begin with. */
export function plain(sql: string): string {
	const unmarked = sql.replace(/^\s*\/\*.*?\*\//s, '');
	return unmarked.replaceAll(/\s+/g, ' ').trim();
}

/** Neither of a request nor of regular work. */
const RARE: readonly RegExp[] = [
	// The command that moves a store to PostgreSQL counts what it has copied.
	/^select count\(\*\) as "count" from "\w+"$/,
	// Servers look once, when they start, for an account without an owner, who needs the setup link; commands list all.
	/^select \* from "accounts" (order by "created_at"$|where "id" not in \(select "account_id" from "members")/,
	// An operator asks what has failed, or which push services there are.
	/^select "name", "failure" from "devices" where "failed_at" > /,
	/^select "push_subscription_json" from "devices" where "push_subscription_json" is not null limit /,
	/^select "id" from "questions" where "ended_at" > /,
	/^select "id" from "members" limit /,
];

/** Whether it is the program's, runs in a request or in regular work, and reads or writes rows. */
export function isProgramsQuery(sql: string): boolean {
	const text = plain(sql);
	const isQuery = /^(select|insert|update|delete|with)\b/i.test(text);
	return programs.has(sql) && isQuery && !RARE.some((rare) => rare.test(text));
}
