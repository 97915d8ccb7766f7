import { type KeyObject, sign } from 'node:crypto';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JSON Web Token signed with ES256 (RFC 7515, RFC 7518 section 3.4). */
export function signEs256(key: KeyObject, header: object, claims: object): string {
	const signed = `${part({ alg: 'ES256', ...header })}.${part(claims)}`;
	const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
	return `${signed}.${signature.toString('base64url')}`;
}
