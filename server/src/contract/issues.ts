import type { z } from 'zod';

/** One broken rule: the field's path in readable form, and the rule in words. */
export interface RequestIssue {
	path: string;
	message: string;
}

function pathText(path: readonly PropertyKey[]): string {
	const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
	return parts.join('').replace(/^\./, '');
}

const NAMES: Record<string, string> = {
	string: 'text',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	record: 'an object',
};

/** The codes that zod gives a field that is not there. */
const NOT_GIVEN = ['invalid_type', 'invalid_union', 'invalid_value'];

function formatRule(issue: z.core.$ZodIssue, isMissing: boolean): string {
	if (isMissing && NOT_GIVEN.includes(issue.code)) return 'is required';
	if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
		return `must be ${NAMES[issue.expected] ?? issue.expected}`;
	if (issue.code === 'invalid_value')
		return `must be one of ${issue.values.map(String).join(', ')}`;
	if (/^Too (small|big)/.test(issue.message)) return formatBound(issue);
	return issue.message;
}

const COUNTED: Record<string, string> = {
	string: 'be {} characters long',
	array: 'have {} entries',
};

/** The rule for a bound without its own message in the contract. */
function formatBound(issue: z.core.$ZodIssue): string {
	if (issue.code !== 'too_small' && issue.code !== 'too_big') return issue.message;
	const bound =
		issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
	return `must ${(COUNTED[issue.origin] ?? 'be {}').replace('{}', bound)}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
	type Inner = Record<PropertyKey, unknown> | null | undefined;
	return path.reduce<unknown>((value, part) => (value as Inner)?.[part], input);
}

/** The most broken rules that one refusal lists: fixing these is a start. */
const MAX_ISSUES = 50;

/**
 * The broken rules of a rejected value, in words a no-code user can act on.
 * @param error  the error from zod
 * @param input  the rejected value; a field absent from it "is required"
 * @param prefix path of `input` inside the request, if it is only a part of it
 */
export function toIssues(
	error: z.core.$ZodError,
	input: unknown,
	prefix: readonly PropertyKey[] = [],
): RequestIssue[] {
	const issues = error.issues.slice(0, MAX_ISSUES).flatMap((issue): RequestIssue[] => {
		const path = [...prefix, ...issue.path];
		if (issue.code === 'unrecognized_keys')
			return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
				path: pathText([...path, key]),
				message: 'is not a recognized field; remove it',
			}));
		if (issue.code === 'invalid_key') {
			const rule = issue.issues[0]?.message ?? 'has a name that is not allowed';
			return [{ path: pathText(path.slice(0, -1)), message: rule }];
		}
		const isMissing = issue.path.length > 0 && valueAt(input, issue.path) === undefined;
		return [{ path: pathText(path), message: formatRule(issue, isMissing) }];
	});
	return issues.slice(0, MAX_ISSUES);
}

/** The issues as one sentence each: `content_state.title is required.` */
export function toSentences(issues: readonly RequestIssue[]): string {
	return issues
		.map(({ path, message }) => `${path === '' ? 'The body' : path} ${message}.`)
		.join(' ');
}
