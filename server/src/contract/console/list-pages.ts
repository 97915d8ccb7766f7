import { z } from 'zod';

export const page = z.coerce.number().int().min(1).max(100_000).default(1);

/** A list without filters. */
export const pageQuery = z.strictObject({ page });

/** What every page of a list says of it. */
export interface ListPage {
	/** Things on all pages that match the query. */
	total: number;
	/** The page shown: the last one if there are fewer than asked for. */
	page: number;
}
