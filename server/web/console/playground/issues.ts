import { type RequestIssue, toSentences } from '../../../src/contract/issues.ts';
import type { Field } from './fields.ts';
import { toLabel } from './words.ts';

/** A problem with a field. A path inside it, such as `[0].url`, names the column of a row. */
export type FieldIssues = ReadonlyMap<string, readonly RequestIssue[]>;

function isInside(path: string, outer: string): boolean {
	return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

/** The issues by the field of the form where each belongs, and those that belong to none. */
export function placeIssues(fields: readonly Field[], issues: readonly RequestIssue[]) {
	const placed = new Map<string, RequestIssue[]>();
	const rest: RequestIssue[] = [];
	for (const { path, message } of issues) {
		const field =
			fields.find((one) => isInside(path, one.path)) ??
			fields.find((one) => isInside(one.path, path));
		if (!field) rest.push({ path, message });
		else
			placed.set(field.path, [
				...(placed.get(field.path) ?? []),
				{ path: path.slice(field.path.length), message },
			]);
	}
	return { placed, rest };
}

/** One sentence each, with the field's label: "Title is required." */
export function toLabeled(issues: readonly RequestIssue[]): string {
	return toSentences(
		issues.map(({ path, message }) => ({
			path: path === '' ? '' : toLabel(path.replaceAll(/\[\d+\]/g, '')),
			message,
		})),
	);
}
