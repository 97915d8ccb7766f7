import { type Expression, sql, type SqlBool } from 'kysely';
import { isPostgres } from './engine/dialect.ts';
import type { Db } from './schema.ts';

/** A text anywhere in another, for LIKE. */
export function pattern(word: string): string {
	return `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** SQLite ignores the case of ASCII letters only: `ärger` is also searched as `Ärger` and `ÄRGER`. */
function spellings(word: string): string[] {
	const lower = word.toLowerCase();
	const capitalized = lower.replace(/^./u, (first) => first.toUpperCase());
	return [...new Set([word, lower, capitalized, word.toUpperCase()].map(asciiLower))];
}

function asciiLower(word: string): string {
	return word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
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
