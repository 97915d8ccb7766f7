/** One broken rule: the field's path in the request, and the rule in the service's words. */
export interface Issue {
	path: string;
	message: string;
}

/**
 * The issues as the service would say them, one sentence each: `tags must not repeat a tag.`
 * Both sides use the same words, so that a mistake reads the same wherever it is found.
 */
export function sentencesOf(issues: readonly Issue[]): string {
	return issues.map(({ path, message }) => `${path} ${message}.`).join(' ');
}

/** A request that would be refused was not sent. */
export class InvalidRequest extends Error {
	readonly issues: readonly Issue[];

	constructor(issues: readonly Issue[]) {
		super(sentencesOf(issues));
		this.issues = issues;
	}
}
