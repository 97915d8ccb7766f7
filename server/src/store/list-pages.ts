import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import type { ListPage } from '../contract/console/resources.ts';
import { PER_PAGE } from '../contract/values.ts';
import type { Database } from './database.ts';
import type { Db } from './schema.ts';
import { isPostgres } from './engine/statement.ts';

/** The number of rows of a list. */
export async function countRows<T, Of extends keyof T, Row>(list: SelectQueryBuilder<T, Of, Row>) {
	const { count } = await list
		.clearSelect()
		.clearOrderBy()
		.select(({ fn }) => fn.countAll<number>().as('count'))
		.$castTo<{ count: number }>()
		.executeTakeFirstOrThrow();
	return count;
}

/**
 * Reads one page of a list, or its last one if there are fewer than asked for, and counts the whole list.
 * @param list the list in its order, which must be the same for each page
 */
export async function listPage<T, Of extends keyof T, Row>(
	{ readInTurn }: Pick<Database, 'readInTurn'>,
	requested: number,
	list: (db: Db) => SelectQueryBuilder<T, Of, Row>,
	perPage = PER_PAGE,
): Promise<ListPage & { rows: Row[] }> {
	const total = await readInTurn((db) => countRows(list(db)));
	const page = Math.min(requested, Math.max(1, Math.ceil(total / perPage)));
	const skipped = (page - 1) * perPage;
	const part = (db: Db) => list(db).limit(perPage).offset(skipped);
	const rows = await readInTurn((db) => part(db).$castTo<Row>().execute());
	return { rows, total, page };
}

/** A part of an account's list, whose rows have different keys. */
export interface Part {
	accountId: string;
	/** The key before the part; undefined: from the beginning. No key is empty. */
	after: string | undefined;
	limit: number;
}

/** The rows of a part, in the order of their keys. @param key the column that has them */
export function listPart<T, Of extends keyof T, Row>(
	list: SelectQueryBuilder<T, Of, Row>,
	key: string,
	{ after = '', limit }: Part,
) {
	const column = sql.ref(key);
	return list
		.where(sql<SqlBool>`${column} > ${after}`)
		.orderBy(column)
		.limit(limit)
		.execute();
}

/** A text anywhere in another, for LIKE. */
export function pattern(word: string): string {
	return `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** SQLite ignores the case of ASCII letters only: `ärger` is also searched as `Ärger` and `ÄRGER`. */
function spellings(word: string): string[] {
	const lower = word.toLowerCase();
	const capitalized = lower.replace(/^./u, (first) => first.toUpperCase());
	const all = [word, lower, capitalized, word.toUpperCase()];
	return [...new Set(all.map((one) => one.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())))];
}

/** LIKE ignores case on SQLite; PostgreSQL's equivalent is ILIKE. */
export function isLike(db: Db, column: string, like: string): Expression<SqlBool> {
	return isPostgres(db)
		? sql<SqlBool>`${sql.ref(column)} ilike ${like}`
		: sql<SqlBool>`${sql.ref(column)} like ${like} escape '\\'`;
}

/** Conditions: for every word of `search`, in one of its spellings, one of these holds. */
export function eachWord(
	search: string,
	anyOf: (like: string) => Expression<SqlBool>[],
): Expression<SqlBool>[] {
	const words = search.split(/\s+/).filter((word) => word !== '');
	return words.map(
		(word) => sql<SqlBool>`(${sql.join(spellings(word).map(pattern).flatMap(anyOf), sql` or `)})`,
	);
}
