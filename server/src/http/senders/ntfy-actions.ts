import { shortened } from '../../contract/text.ts';

const MAX_LABEL = 64;

/** Buttons, and parts of their short form, that are looked at; ntfy's messages have three buttons. */
const MAX_BUTTONS = 50;
const MAX_PARTS = 500;

/** The names of unnamed parts, by position. */
const POSITIONS = ['action', 'label', 'url'];

/** One part of ntfy's short form: an optional name, a value that may be quoted, and the separator. */
const PART =
	/\s*(?:([-.\w]+)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"\s*|'((?:[^'\\]|\\.)*)'\s*|([^,;]*))(,|;|$)/gsy;

/**
 * The buttons of a message in the form of our actions; some may not fit, and are left out later.
 * @param given a list, its JSON, or the short form `view, Label, https://…; http, Label, https://…, body=…`
 *        (https://docs.ntfy.sh/publish/#action-buttons)
 */
export function toButtons(given: string | readonly unknown[] | undefined): unknown[] {
	return listIn(given).slice(0, MAX_BUTTONS).map(toButton);
}

function listIn(given: string | readonly unknown[] | undefined): readonly unknown[] {
	if (typeof given !== 'string') return given ?? [];
	if (!given.trimStart().startsWith('[')) return partsIn(given);
	const list = jsonIn(given);
	return Array.isArray(list) ? list : [];
}

function partsIn(shortForm: string): unknown[] {
	const actions: unknown[] = [];
	let parts: Array<[string, string]> = [];
	let count = 0;
	for (const [, name, double, single, plain = '', sign] of shortForm.matchAll(PART)) {
		if (count === MAX_PARTS) break;
		count += 1;

		const value = (double ?? single)?.replace(/\\(.)/gs, '$1') ?? plain.trim();
		parts.push([name ?? POSITIONS[parts.length] ?? '', value]);
		if (sign === ',') continue;
		actions.push(Object.fromEntries(parts));
		parts = [];
		if (sign === '') break;
	}
	return actions;
}

/**
 * `view` opens a URL, `http` calls one. A call that Beckon cannot make as written (with headers, another
 * method, a body that is not a JSON object) becomes no button at all rather than a wrong one.
 */
function toButton(given: unknown): unknown {
	const { action, label, url, method, body, headers, ...others } = (given ?? {}) as Record<
		string,
		unknown
	>;
	const title = typeof label === 'string' ? shortened(label, MAX_LABEL) : label;
	if (action === 'view') return { type: 'open_url', title, url };
	const hasHeaders =
		Object.keys(headers ?? {}).length > 0 ||
		Object.keys(others).some((name) => name.startsWith('headers.'));
	if (action !== 'http' || hasHeaders) return undefined;
	return {
		type: 'webhook',
		title,
		url,
		...(typeof method === 'string' && method !== '' && { method: method.toUpperCase() }),
		...(body !== undefined && body !== '' && { body: jsonIn(body) ?? null }),
	};
}

/** Half a character, as JSON escapes it. */
const HALF = /\\u[dD][89a-fA-F]/;

const toWellFormed = (_name: string, value: unknown) =>
	typeof value === 'string' ? value.toWellFormed() : value;

/** The value of a JSON text; undefined if invalid. */
export function jsonIn(text: unknown): unknown {
	try {
		const json = String(text);
		return JSON.parse(json, HALF.test(json) ? toWellFormed : undefined);
	} catch {
		return undefined;
	}
}
