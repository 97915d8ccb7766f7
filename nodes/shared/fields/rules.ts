/**
 * A rule of the service that the node checks before it sends (docs/api-decisions.md
 * "Requests"). It returns the words that the service would use, or undefined if the value is fine.
 */
export type Rule<T> = ((value: T) => string | undefined) & { readonly cutAt?: number };

const rule =
	<T>(isFine: (value: T) => boolean, words: string): Rule<T> =>
	(value) =>
		isFine(value) ? undefined : words;

/** Only the first broken rule counts. */
export const allOf =
	<T>(...rules: Array<Rule<T>>): Rule<T> =>
	(value) => {
		for (const check of rules) {
			const words = check(value);
			if (words !== undefined) return words;
		}
		return undefined;
	};

export const matching = (pattern: RegExp, words: string): Rule<string> =>
	rule((text) => pattern.test(text), words);

export const oneOf = (values: readonly string[]): Rule<string> =>
	rule((text) => values.includes(text), `must be one of ${values.join(', ')}`);

/** The bounds of a field, as n8n's editor takes them; the upper one comes only with a lower one. */
export function within(bounds: { minValue?: number; maxValue?: number } = {}): Rule<number> {
	const { minValue: min = -Infinity, maxValue: max = Infinity } = bounds;
	const words = max === Infinity ? `must be ${min} or more` : `must be between ${min} and ${max}`;
	return rule((value) => value >= min && value <= max, words);
}

export const atLeast = (minValue: number): Rule<number> => within({ minValue });

export const moreThan = (limit: number): Rule<number> =>
	rule((value) => value > limit, `must be more than ${limit}`);

/** Counts code points, as the service does. @param trims white space around the text does not count */
export const noLonger = (max: number, words: string, trims = false): Rule<string> =>
	rule((text) => text.length <= max || Array.from(trims ? text.trim() : text).length <= max, words);

/** For a text that people read: one that is too long can be cut to `max` characters. */
export const prose = (max: number, words: string, trims = false): Rule<string> =>
	Object.assign(noLonger(max, words, trims), { cutAt: max });

/** @param beginning the allowed beginnings */
export const url = (max: number, beginning: RegExp, words: string): Rule<string> =>
	allOf(noLonger(max, `must be at most ${max} characters long`), matching(beginning, words));

export const noMoreBytes = (max: number, words: string): Rule<object> =>
	rule((object) => Buffer.byteLength(JSON.stringify(object)) <= max, words);

/** A text no longer than this, a number, true, false or null. */
export const scalar = (max: number, words: string): Rule<unknown> =>
	rule(
		(value) =>
			typeof value === 'string' ? value.length <= max : !value || typeof value !== 'object',
		words,
	);

type Bound = [most: number, words: string];

/** @param names the bound for their lengths */
export const entriesOf = ({ most, names }: { most: Bound; names: Bound }): Rule<object> =>
	allOf(
		rule((object) => Object.keys(object).length <= most[0], most[1]),
		rule((object) => Object.keys(object).every((name) => name.length <= names[0]), names[1]),
	);

/** @param repeated the message for an entry given twice; absent if that is allowed */
export const listOf = (bounds: {
	fewest?: Bound;
	most: Bound;
	repeated?: string;
}): Rule<readonly unknown[]> => {
	const {
		fewest: [min, tooFew] = [0, ''],
		most: [max, tooMany],
		repeated,
	} = bounds;
	return allOf(
		rule((list) => list.length >= min, tooFew),
		rule((list) => list.length <= max, tooMany),
		(list) => (new Set(list).size < list.length ? repeated : undefined),
	);
};
