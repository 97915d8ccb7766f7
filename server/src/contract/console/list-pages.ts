import { z } from 'zod';

export const page = z.coerce.number().int().min(1).max(100_000).default(1);

/** A list without filters. */
export const pageQuery = z.strictObject({ page });

/** Words that must all occur in the names of a thing. */
export const search = z.string().trim().max(200, 'must be at most 200 characters long').optional();

export const namesQuery = z.strictObject({ search, page });
export type NamesQuery = z.output<typeof namesQuery>;

/** What every page of a list says of it. */
export interface ListPage {
	/** Things on all pages that match the query. */
	total: number;
	/** The page shown: the last one if there are fewer than asked for. */
	page: number;
}

/** The same of a list that can be searched or filtered. */
export interface FilteredPage extends ListPage {
	/** Things of the account, whatever the query. */
	of: number;
}
