import type { Feature, SenderPath } from '../../contract/values.ts';
import type { Context } from '../../service/context.ts';
import type { ErrorResponse } from '../errors.ts';
import { bearerToken, type Gate, type KeyIn } from '../gate.ts';
import type { TypedApp } from '../typed-app.ts';
import type { FastifyRequest } from 'fastify';

export interface SenderParts {
	context: Context;
	gate: Gate;
}

/** Largest body of programs that do not cut what they send, such as a storm of alerts. */
export const MAX_BODY = 1024 * 1024;

/** A program whose notifications Beckon accepts in that program's own format. */
export interface Sender {
	/** Its routes are below this path. */
	name: SenderPath;
	/** The rate limit that its requests count toward. */
	feature: Feature;
	keyIn: KeyIn;
	/** A refusal in the format that the program understands. */
	toRefusal(response: ErrorResponse): object;
	register(app: TypedApp, parts: SenderParts): void;
}

/**
 * The key in an Authorization header: a bearer token, or the password of Basic authentication (RFC 7617).
 * Without a password the name is the key, as `curl -u KEY:` sends it.
 */
export function authorizationKey(header: string | undefined): string | undefined {
	const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header ?? '') ?? [];
	if (encoded === undefined) return bearerToken(header);
	const [name, password] = Buffer.from(encoded, 'base64').toString().split(/:(.*)/s);
	return password === undefined || password === '' ? name : password;
}

/** A parameter of the query; the first one if it is repeated. */
export function queryText({ query }: FastifyRequest, name: string): string | undefined {
	const [value] = [(query as Record<string, unknown>)[name]].flat();
	return typeof value === 'string' ? value : undefined;
}
