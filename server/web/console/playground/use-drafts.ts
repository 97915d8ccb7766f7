import { useEffect, useState } from 'react';
import type { Values } from './fields.ts';
import { REQUESTS, type RequestName } from './requests.ts';

interface Drafts {
	forms: Record<RequestName, Values>;
	keys: Partial<Record<RequestName, string>>;
	/** The request that was shown last. */
	request?: RequestName | undefined;
}

const STORED = 'beckon-playground';

const EXAMPLES = Object.fromEntries(
	REQUESTS.map(({ name, example }) => [name, example]),
) as Drafts['forms'];

function readStored(): Drafts {
	const stored = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<Drafts>;
	return { keys: {}, ...stored, forms: { ...EXAMPLES, ...stored.forms } };
}

/** The forms as typed so far. They stay while the browser's tab is open, and no longer: they may hold secrets. */
export function useDrafts() {
	const [drafts, setDrafts] = useState(readStored);
	useEffect(() => sessionStorage.setItem(STORED, JSON.stringify(drafts)), [drafts]);
	return {
		...drafts,
		setKey: (name: RequestName, key: string) =>
			setDrafts((all) => ({ ...all, keys: { ...all.keys, [name]: key } })),
		show: (request: RequestName) => setDrafts((all) => ({ ...all, request })),
		/** Changes some of a form's values. */
		change: (name: RequestName, part: Values) =>
			setDrafts((all) => ({
				...all,
				forms: { ...all.forms, [name]: { ...all.forms[name], ...part } },
			})),
		/** Replaces a form; without values, by its example. */
		replace: (name: RequestName, values = EXAMPLES[name]) =>
			setDrafts((all) => ({ ...all, forms: { ...all.forms, [name]: values } })),
	};
}

/** True if nothing was typed into the form. */
export function isExample(name: RequestName, values: Values): boolean {
	return JSON.stringify(values) === JSON.stringify(EXAMPLES[name]);
}
