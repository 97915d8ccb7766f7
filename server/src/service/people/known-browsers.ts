import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { serverKey } from '../../store/server-keys.ts';
import type { Context } from '../context.ts';

const ID_BYTES = 16;
const KEY_BYTES = 32;

async function signBrowser(context: Context, id: string, email: string): Promise<Buffer> {
	const key = await serverKey(context.database, 'known-browsers', () =>
		randomBytes(KEY_BYTES).toString('base64url'),
	);
	return createHmac('sha256', key).update(`${id} ${email}`).digest();
}

/**
 * Token kept by a browser after a sign-in. It proves only that earlier sign-in and grants no access; it
 * exempts the browser from failures counted elsewhere (OWASP, "Slow Down Online Guessing Attacks with
 * Device Cookies").
 * @param id the browser's id, if already known
 */
export async function browserToken(
	context: Context,
	email: string,
	id = randomBytes(ID_BYTES).toString('base64url'),
): Promise<string> {
	return `${id}.${(await signBrowser(context, id, email)).toString('base64url')}`;
}

/** The browser's id; undefined unless `email` has signed in with this browser before. */
export async function knownBrowser(
	context: Context,
	email: string,
	token: string | undefined,
): Promise<string | undefined> {
	const [id = '', signature = '', ...rest] = (token ?? '').split('.');
	if (id === '' || rest.length > 0) return undefined;
	const given = Buffer.from(signature, 'base64url');
	const right = await signBrowser(context, id, email);
	return given.length === right.length && timingSafeEqual(given, right) ? id : undefined;
}
