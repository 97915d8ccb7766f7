import type { SelectQueryBuilder } from 'kysely';
import type { ListPage } from '../contract/console/list-pages.ts';
import { PER_PAGE } from '../contract/values.ts';
import type { Database } from './database.ts';
import type { Db } from './schema.ts';

/** The number of rows of a list. */
export async function countRows<T, Of extends keyof T, Row>(
	list: SelectQueryBuilder<T, Of, Row>,
): Promise<number> {
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
	asked: number,
	list: (db: Db) => SelectQueryBuilder<T, Of, Row>,
	perPage = PER_PAGE,
): Promise<ListPage & { rows: Row[] }> {
	const total = await readInTurn((db) => countRows(list(db)));
	const page = Math.min(asked, Math.max(1, Math.ceil(total / perPage)));
	const skipped = (page - 1) * perPage;
	const part = (db: Db) => list(db).limit(perPage).offset(skipped);
	const rows = await readInTurn((db) => part(db).$castTo<Row>().execute());
	return { rows, total, page };
}
