/**
 * A rule of the service that the node checks before it sends (docs/api-decisions.md
 * "Requests"). It returns the words that the service would use, or undefined if the value is fine.
 */
export type Rule<T> = (value: T) => string | undefined;

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

const isUnique = (values: readonly string[]) => new Set(values).size === values.length;

export const matching = (pattern: RegExp, words: string): Rule<string> =>
	rule((text) => pattern.test(text), words);

export const oneOf = (values: readonly string[]): Rule<string> =>
	rule((text) => values.includes(text), `must be one of ${values.join(', ')}`);

export const between = (min: number, max: number): Rule<number> =>
	rule((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

export const atLeast = (min: number): Rule<number> =>
	rule((value) => value >= min, `must be ${min} or more`);

export const atMost = (max: number): Rule<number> =>
	rule((value) => value <= max, `must be ${max} or less`);

export const moreThan = (limit: number): Rule<number> =>
	rule((value) => value > limit, `must be more than ${limit}`);

export const tagList: Rule<string[]> = allOf(
	rule((tags) => tags.length <= 20, 'must have at most 20 tags'),
	rule(isUnique, 'must not repeat a tag'),
);

export const tag = matching(
	/^[a-z0-9._:-]{1,64}$/,
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores, periods and colons',
);

export const channelList: Rule<string[]> = allOf(
	rule((channels) => channels.length > 0, 'must name at least one channel, or be left out'),
	rule((channels) => channels.length <= 50, 'must name at most 50 channels'),
	rule(isUnique, 'must not repeat a channel'),
);

export const channel = matching(
	/^[a-z0-9][a-z0-9_-]{0,63}$/,
	'must be a channel slug: 1 to 64 lowercase letters, digits, dashes and underscores, beginning with a letter or digit',
);

export const streamKey = allOf(
	rule<string>((key) => key.length <= 255, 'must be at most 255 characters long'),
	matching(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, underscores and dashes'),
);

export const metricKey = matching(
	/^[a-z0-9][a-z0-9_.-]{0,63}$/,
	'must be 1 to 64 characters: lowercase letters, digits, dashes, underscores and periods, beginning with a letter or digit',
);
