import { z } from 'zod';

/** Length in Unicode code points, the unit in which the service counts characters. */
export function codePoints(text: string): number {
	let count = 0;
	for (const _ of text) count += 1;
	return count;
}

/**
 * Removed from every text before it is stored or shown: halves of characters, which make strict parsers reject a
 * whole JSON text, and controls that reverse the reading direction of everything after them, so a text displays as
 * something else. Direction marks (U+200E, U+200F, U+061C) stay: they affect only adjacent characters, and Arabic
 * and Hebrew texts need them.
 */
const HARMFUL = /[\p{Cs}\u202A-\u202E\u2066-\u2069]/u;
const LONE_SURROGATES = /\p{Cs}/gu;
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** The text without harmful characters: each half of a character becomes U+FFFD. */
export function sanitized(value: string): string {
	// Nearly every text is harmless.
	if (!HARMFUL.test(value)) return value;
	return value.replaceAll(BIDI_CONTROLS, '').replaceAll(LONE_SURROGATES, '\uFFFD');
}

/**
 * A string of `min` to `max` characters (code points). JSON Schema's minLength and maxLength count
 * code points too, but JavaScript's `length` counts UTF-16 units, hence the refinement.
 */
export function text({
	min = 0,
	max,
	trim = false,
}: {
	min?: number;
	max: number;
	trim?: boolean;
}) {
	const rule =
		min > 0 ? `must be ${min} to ${max} characters long` : `must be at most ${max} characters long`;
	const cleaned = z.string().overwrite(sanitized);
	const base = trim ? cleaned.trim() : cleaned;
	return base
		.refine((value) => {
			// A UTF-16 length is between one and two times that in code points: often no count is needed.
			if (value.length <= max && value.length >= min * 2) return true;
			const length = codePoints(value);
			return length >= min && length <= max;
		}, rule)
		.meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

/** Words that must all occur. Each one searches whole texts, so their number is limited: a search delays other requests. */
export const search = text({ max: 200, trim: true })
	.refine((words) => words.split(/\s+/).length <= 8, 'must have at most 8 words')
	.optional();

const storable = (name: string) => name.replaceAll('\0', '\uFFFD');

/** The name of an account, a person, a phone, a channel, a key or a metric, with U+0000 as it is stored. */
export const displayName = text({ min: 1, max: 64, trim: true }).overwrite(storable);

/** The UTF-16 units of the first `count` characters (code points). */
function unitsOf(text: string, count: number): number {
	let units = 0;
	for (let left = count; left > 0 && units < text.length; left -= 1)
		units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
	return units;
}

/** A foreign text made harmless, of at most `max` characters (code points); a longer one ends in "…". */
export function shortened(value: string, max: number): string {
	const shown = sanitized(value);
	if (shown.length <= max || unitsOf(shown, max) === shown.length) return shown;
	return `${shown.slice(0, unitsOf(shown, max - 1))}…`;
}

/**
 * A list, or a record, of at most `max` entries. Those of a longer one are not looked at: it comes from outside.
 * @param rule in words
 */
export function atMost<S extends z.ZodArray | z.ZodRecord>(
	max: number,
	schema: S,
	rule = `must have at most ${max} entries`,
) {
	const bounded = schema instanceof z.ZodArray ? (schema.max(max, rule) as S) : schema;
	return z.preprocess((value: z.input<S>, context) => {
		const given: unknown = value;
		const isMany = typeof given === 'object' && Object.keys(given ?? {}).length > max;
		if (!isMany) return value;
		context.addIssue(rule);
		return z.NEVER;
	}, bounded);
}

/** RFC 3339 date-time with an offset or `Z`. */
export const timestamp = z.iso
	.datetime({
		offset: true,
		error: 'must be an RFC 3339 date and time with an offset, like 2026-01-31T09:30:00Z',
	})
	.meta({ format: 'date-time' });

/** Deepest nesting of a free-form object; deeper ones would overflow a serializer's stack. */
const MAX_DEPTH = 32;

function isDeeperThan(value: unknown, limit: number): boolean {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth += 1) {
		if (depth > limit) return true;
		level = level.flatMap((entry): unknown[] =>
			typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
		);
	}
	return false;
}

/** Keys of a free-form object. */
const MAX_KEYS = 1_000;

/** A free-form JSON object; with `maxBytes`, limited in its serialized UTF-8 form. */
export function freeObject({ maxBytes }: { maxBytes?: number } = {}) {
	const object = atMost(MAX_KEYS, z.record(z.string(), z.unknown())).refine(
		(value) => !isDeeperThan(value, MAX_DEPTH),
		{ error: `must not nest deeper than ${MAX_DEPTH} levels`, abort: true },
	);
	if (maxBytes === undefined) return object;
	return object.refine(
		(value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes,
		`must be at most ${maxBytes} bytes when written as JSON`,
	);
}

/** The error for a `type` that is none of these; a value that is not an object gets the usual message. */
export function unknownType(types: readonly string[]) {
	return (issue: { code: string }) =>
		issue.code === 'invalid_union' ? `must be one of ${types.join(', ')}` : undefined;
}

export function isUnique(values: readonly unknown[]): boolean {
	return new Set(values).size === values.length;
}
