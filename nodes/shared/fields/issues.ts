/** One broken rule: the field's path in the request, and the rule in the service's words. */
export interface Issue {
	path: string;
	message: string;
	/** The field's name in the node's panel. */
	field?: string;
}

/**
 * One sentence per issue, in the service's words, after the name that the user sees in the panel:
 * `Tags (tags) must not repeat a tag.`
 */
export function toSentences(issues: readonly Issue[]): string {
	return issues.map((issue) => `${formatName(issue)} ${issue.message}.`).join(' ');
}

function formatName({ path, field }: Issue): string {
	// A path outside the request is the name of a parameter, which no user knows.
	if (field !== undefined && path.startsWith('options.')) return field;
	return field === undefined ? path : `${field} (${path})`;
}

/** A request that the service would refuse was not sent. */
export class InvalidRequest extends Error {
	readonly issues: readonly Issue[];

	constructor(issues: readonly Issue[]) {
		super(toSentences(issues));
		this.issues = issues;
	}
}
