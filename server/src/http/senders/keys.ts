import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../authorization.ts';

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
