import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../../src/rules/answer';

/** A part of a list that the service offers (docs/api-decisions.md "Lists"). */
export interface Page {
	entries: IDataObject[];
	/** Where the next page begins; undefined on the last one. */
	next: string | undefined;
}

/** @param name of the list in the answer */
export function pageIn(body: Record<string, unknown>, name: string): Page {
	const { [name]: entries, next } = body;
	return {
		entries: Array.isArray(entries) ? (entries as unknown[]).filter(isEntry) : [],
		next: typeof next === 'string' ? next : undefined,
	};
}

const isEntry = (entry: unknown): entry is IDataObject => isObject(entry);

/** The path of the page that begins there. */
export const pathOfPage = (path: string, after?: string) =>
	after === undefined ? path : `${path}?after=${encodeURIComponent(after)}`;

/** The first entries of a list, from as many pages as that takes. */
export async function readEntries(
	most: number,
	load: (after?: string) => Promise<Page>,
): Promise<IDataObject[]> {
	const found: IDataObject[] = [];
	let after: string | undefined;
	do {
		const { entries, next } = await load(after);
		found.push(...entries);
		after = next;
	} while (after !== undefined && found.length < most);
	return found.slice(0, most);
}
