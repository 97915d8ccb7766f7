import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Parameters {
	N: number;
	r: number;
	p: number;
}

/** 32 MiB and about a tenth of a second of one core for each round of p: dear for who guesses, bearable for us. */
const PARAMETERS: Parameters = { N: 2 ** 15, r: 8, p: 3 };

const KEY_LENGTH = 32;
const SALT_LENGTH = 16;

function derive(password: string, salt: Buffer, { N, r, p }: Parameters): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		// Two keyboards may write the same letter differently; NFKC makes them one.
		scrypt(
			password.normalize('NFKC'),
			salt,
			KEY_LENGTH,
			{ N, r, p, maxmem: 256 * N * r },
			(error, key) => (error ? reject(error) : resolve(key)),
		);
	});
}

/** The parameters stand in the hash, so that raising them leaves older passwords valid. */
export async function hashPassword(password: string): Promise<string> {
	const salt = randomBytes(SALT_LENGTH);
	const { N, r, p } = PARAMETERS;
	const key = await derive(password, salt, PARAMETERS);
	return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Compared with when there is no such member, so that both answers take as long. */
const NOBODY = [
	'scrypt',
	PARAMETERS.N,
	PARAMETERS.r,
	PARAMETERS.p,
	Buffer.alloc(SALT_LENGTH).toString('base64url'),
	Buffer.alloc(KEY_LENGTH).toString('base64url'),
].join('$');

/** @param stored undefined: there is nobody with this e-mail address */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
	const [, N, r, p, salt = '', key = ''] = (stored ?? NOBODY).split('$');
	const derived = await derive(password, Buffer.from(salt, 'base64url'), {
		N: Number(N),
		r: Number(r),
		p: Number(p),
	});
	return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && stored !== undefined;
}
