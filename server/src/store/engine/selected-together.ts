import { type Compilable, type SelectQueryBuilder, sql } from 'kysely';
import { compiledForRows, compiledOnce, type Values } from './compiled-once.ts';
import type { Db, Tables } from '../schema.ts';
import { together } from './together.ts';

/** Kysely's types distinguish queries of different tables; only the result type matters here. */
type Query<R> = SelectQueryBuilder<Tables, keyof Tables, R>;

/**
 * A query run by every request. Concurrent jobs run it together: as a `union all`, each part looked up in
 * its index as if it were alone. Identical questions are asked once.
 * @param build builds the query, without order or limit, which parts of a union cannot have
 * @returns the rows of each
 */
export function selectedTogether<V, R>(
	build: (db: Db, the: Values<V>) => Compilable<R>,
): (db: Db, value: V) => Promise<R[]> {
	interface Question {
		value: V;
		place: number;
	}
	type Row = R & { place: number };

	const selectOne = compiledOnce<V, R>(build);
	const selectAll = compiledForRows<Question, Row>((db, questions) =>
		questions
			.map((the) => {
				const place = sql<number>`cast(${the((question) => question.place)} as integer)`;
				const query = build(db, (of) => the(({ value }) => of(value))) as Query<R>;
				return query.select(place.as('place'));
			})
			.reduce((all, next) => all.unionAll(next)),
	);

	return together<V, R[]>(async (db, values) => {
		if (values.length === 1) return [await selectOne(db, values[0] as V)];
		const keys = values.map((value) => JSON.stringify(value));
		const asked = new Map(keys.map((key, index) => [key, values[index] as V]));
		const questions = [...asked.values()].map((value, place) => ({ value, place }));
		const rows = Map.groupBy(await selectAll(db, questions), ({ place }) => place);
		const answers = new Map([...asked.keys()].map((key, place) => [key, rows.get(place) ?? []]));
		return keys.map((key) => answers.get(key) ?? []);
	});
}
