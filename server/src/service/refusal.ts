import type { RequestIssue } from '../contract/issues.ts';
import { sentencesOf } from '../contract/issues.ts';

export type RefusalKind =
	| 'invalid'
	| 'unauthorized'
	| 'billing'
	| 'forbidden'
	| 'not_found'
	| 'conflict'
	| 'no_recipients'
	| 'badge_disconnected'
	| 'badge_failed'
	| 'capacity'
	| 'too_many';

/**
 * The service says no. `error` is the short name that clients compare, `message` what a person reads
 * and acts on; `details` are the further properties of the error's body.
 */
export class Refusal extends Error {
	readonly kind: RefusalKind;
	readonly error: string;
	readonly details: Record<string, unknown>;

	constructor(
		kind: RefusalKind,
		error: string,
		message: string,
		details: Record<string, unknown> = {},
	) {
		super(message);
		this.kind = kind;
		this.error = error;
		this.details = details;
	}
}

/** Somebody has used up an allowance, or everybody together does; tried again later, it may go well. */
export class TooManyRequests extends Refusal {
	/** Whole seconds after which it is worth trying again. */
	readonly retryAfter: number;

	constructor(error: string, message: string, retryAfter: number) {
		super('too_many', error, message);
		this.retryAfter = retryAfter;
	}
}

/** The refusal of a request whose fields break rules; wrong tags carry a code of their own. */
export function invalidRequest(issues: readonly RequestIssue[]): Refusal {
	const aboutTags = issues.some(({ path }) => /^tags(\[|$)/.test(path));
	return new Refusal(
		'invalid',
		aboutTags ? 'Invalid tags' : 'Invalid request',
		sentencesOf(issues),
		{
			...(aboutTags && { code: 'invalid_tags' }),
			issues,
		},
	);
}
