import { type KeyObject, verify } from 'node:crypto';

export interface Jwt {
	header: Record<string, unknown>;
	claims: Record<string, any>;
	isSignedBy(key: KeyObject): boolean;
}

/** Reads a JSON Web Token signed with ES256; undefined if it is not one. */
export function readJwt(token: string): Jwt | undefined {
	const [header = '', claims = '', signature = ''] = token.split('.');
	const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
	try {
		return {
			header: read(header),
			claims: read(claims),
			isSignedBy: (key) =>
				verify(
					'sha256',
					Buffer.from(`${header}.${claims}`),
					{ key, dsaEncoding: 'ieee-p1363' },
					Buffer.from(signature, 'base64url'),
				),
		};
	} catch {
		return undefined;
	}
}
