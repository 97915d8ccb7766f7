import type { z } from 'zod';
import { type RequestIssue, toIssues, toSentences } from '../contract/issues.ts';
import { errorCode, StoreUnavailableError } from '../store/errors.ts';

export type RefusalKind =
	| 'invalid'
	| 'unauthorized'
	| 'billing'
	| 'forbidden'
	| 'not_found'
	| 'conflict'
	| 'no_recipients'
	| 'key_reused'
	| 'badge_disconnected'
	| 'badge_failed'
	| 'capacity'
	| 'too_many';

type Details = Record<string, unknown>;

/**
 * A refusal by the service. `error` is the short name that clients compare, `message` tells a person what
 * to do; `details` are further properties of the error's body.
 */
export class Refusal extends Error {
	readonly kind: RefusalKind;
	readonly error: string;
	readonly details: Details;

	constructor(kind: RefusalKind, error: string, message: string, details: Details = {}) {
		super(message);
		this.kind = kind;
		this.error = error;
		this.details = details;
	}
}

/** Makes the refusals of a kind, as `new Refusal` does. */
const refusalOf =
	(kind: RefusalKind) =>
	(error: string, message: string, details?: Details): Refusal =>
		new Refusal(kind, error, message, details);

export const invalid = refusalOf('invalid');
export const unauthorized = refusalOf('unauthorized');
export const forbidden = refusalOf('forbidden');
export const notFound = refusalOf('not_found');
export const conflict = refusalOf('conflict');

/** A limit, individual or global, is exceeded. A later attempt may succeed. */
export class TooManyRequests extends Refusal {
	/** Whole seconds to wait before trying again. */
	readonly retryAfter: number;

	constructor(error: string, message: string, retryAfter: number, details: Details = {}) {
		super('too_many', error, message, details);
		this.retryAfter = retryAfter;
	}
}

/** Refuses a member's request for something that only owners can do. */
export function ownersOnly(): Refusal {
	return forbidden('Owners only', 'Only an owner of this account can do this. Ask one of them.');
}

/**
 * Refuses a request whose fields break rules. Wrong tags have a separate code.
 * @param error the name of the error, if not the usual one
 */
export function invalidRequest(issues: readonly RequestIssue[], error?: string): Refusal {
	const aboutTags = issues.some(({ path }) => /^tags(\[|$)/.test(path));
	const name = error ?? (aboutTags ? 'Invalid tags' : 'Invalid request');
	return invalid(name, toSentences(issues), { ...(aboutTags && { code: 'invalid_tags' }), issues });
}

/** Refuses a request with one wrong field. @param path of the field, as users see it */
export function invalidField(path: string, message: string, error?: string): Refusal {
	return invalidRequest([{ path, message }], error);
}

/**
 * The value as the schema parses it.
 * @param prefix path of the value inside the request, if it is only a part of it
 * @throws Refusal `invalid` if it breaks a rule
 */
export function requireValid<S extends z.ZodType>(
	schema: S,
	value: unknown,
	prefix?: readonly PropertyKey[],
): z.output<S> {
	const { data, error } = schema.safeParse(value);
	if (error) throw invalidRequest(toIssues(error, value, prefix));
	return data;
}

/** `unavailable`: nothing of the request was stored; `uncertain`: it may or may not have been stored. */
export type StorageFailure = 'unavailable' | 'uncertain';

/**
 * SQLite's temporary errors: the lock is held, disk or memory are full, the file currently cannot be reached or
 * written. SQLITE_ABORT: it has ended the transaction because of one of them. Any other is a bug in the program or
 * damage to the file, which a retry does not fix.
 */
const TEMPORARY = /^SQLITE_(ABORT|BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PROTOCOL|READONLY)(_|$)/;

/** Classifies an error of the store; undefined for any other error. */
export function toStorageFailure(error: unknown): StorageFailure | undefined {
	if (error instanceof StoreUnavailableError)
		return error.isUncertain ? 'uncertain' : 'unavailable';
	return TEMPORARY.test(errorCode(error)) ? 'unavailable' : undefined;
}
