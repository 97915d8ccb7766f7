/** One broken rule: the field's path in the request, and the rule in the service's words. */
export interface Issue {
	path: string;
	message: string;
	/** The name of the field in the node's panel, with its path. */
	name?: string;
}

/** One sentence per issue: `Tags (tags) must not repeat a tag.` */
export function toSentences(issues: readonly Issue[]): string {
	return issues.map(({ path, name = path, message }) => `${name} ${message}.`).join(' ');
}

/** Adds a period, unless the text already ends with punctuation. */
export const asSentence = (words: string) => (/[.!?)]$/.test(words) ? words : `${words}.`);

/** A request that the service would refuse was not sent. */
export class InvalidRequest extends Error {
	readonly issues: readonly Issue[];

	constructor(issues: readonly Issue[]) {
		super(toSentences(issues));
		this.issues = issues;
	}
}
