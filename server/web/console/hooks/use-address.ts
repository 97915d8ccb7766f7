import { useEffect, useMemo, useState } from 'react';
import { hrefWith, replaceQuery, useRoute } from './use-route.ts';

/** Milliseconds of a pause in typing after which the typed text takes effect. */
export const TYPING_PAUSE_MS = 250;

type Values = Record<string, string>;

/** The part of the values that the address names; the rest is empty. */
function readFrom<T extends Values>(query: URLSearchParams, empty: T): T {
	return Object.fromEntries(Object.keys(empty).map((name) => [name, query.get(name) ?? ''])) as T;
}

/** The query with these values; the rest of it stays. */
function withValues(query: URLSearchParams, values: Values): URLSearchParams {
	const changed = new URLSearchParams(query);
	for (const [name, value] of Object.entries(values)) {
		if (value === '') changed.delete(name);
		else changed.set(name, value);
	}
	return changed;
}

export interface Address<T extends Values> {
	/** The values as typed and chosen so far. */
	values: T;
	/** The values in the address, for which the page shows its list. */
	settled: T;
	/** The props of a filter's field. A change takes effect once typing pauses, and returns to the first page. */
	field: (name: keyof T & string) => {
		value: string;
		onChange: (value: string | null) => void;
	};
	clear: () => void;
	/** The address of the same list with other values. */
	hrefTo: (part: Partial<T>) => string;
}

/**
 * The filters and the page of a list, kept in the address: reloading, going back and sharing keep them.
 * @param empty every name, with an empty text; `page` is the page of the list
 */
export function useAddress<T extends Values>(empty: T): Address<T> {
	const { query } = useRoute();
	const settled = useMemo(() => readFrom(query, empty), [query, empty]);
	const [typed, setTyped] = useState<T>();
	useEffect(() => {
		if (typed === undefined) return undefined;
		const timer = setTimeout(() => {
			replaceQuery(withValues(query, typed));
			setTyped(undefined);
		}, TYPING_PAUSE_MS);
		return () => clearTimeout(timer);
	}, [typed, query]);
	const values = typed ?? settled;
	return {
		values,
		settled,
		field: (name) => ({
			value: values[name] ?? '',
			onChange: (value) =>
				setTyped({ ...values, ...('page' in empty && { page: '' }), [name]: value ?? '' }),
		}),
		clear: () => {
			setTyped(undefined);
			replaceQuery(withValues(query, empty));
		},
		hrefTo: (part) => hrefWith(withValues(query, { ...settled, ...part })),
	};
}

/** One value in the address, which a link can set, such as `#/playground?request=stream`; empty if there is none. */
export function useAddressValue(name: string): [value: string, set: (value: string) => void] {
	const { query } = useRoute();
	return [query.get(name) ?? '', (value) => replaceQuery(withValues(query, { [name]: value }))];
}

/** Takes a value from the address, once: a link such as `#/keys?new=sender` opens a dialog, a reload does not. */
export function useTakenValue(name: string, take: (value: string) => void): void {
	const [value, set] = useAddressValue(name);
	useEffect(() => {
		if (value === '') return;
		set('');
		take(value);
	});
}
