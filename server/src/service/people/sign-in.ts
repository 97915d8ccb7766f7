import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LoginRequest } from '../../contract/console/members.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { WindowLimit } from '../../store/engine/rate-windows.ts';
import { memberByEmail } from '../../store/people/members.ts';
import { serverKey } from '../../store/server-state.ts';
import { recordFailedSignIn } from '../audit.ts';
import type { Context } from '../context.ts';
import { TooManyRequests, unauthorized } from '../refusal.ts';
import { openSession } from './sessions.ts';

/** The number of wrong passwords allowed in a window, and the key they count against. */
interface FailureLimit extends WindowLimit {
	windowMs: number;
}

/** The origin of a sign-in attempt. */
export interface Origin {
	/** Client address; for IPv6, its network. */
	address: string;
	/** A browser this email address has signed in with before. */
	browser: string | undefined;
}

/**
 * A browser that signed in before has a separate limit, so no one can lock its owner out. Elsewhere,
 * failures on an email address are limited per client address and, over a longer window, across all
 * addresses.
 */
function failureLimits(email: string, { address, browser }: Origin): FailureLimit[] {
	if (browser !== undefined)
		return [{ key: `sign-in browser ${browser}`, quota: 10, windowMs: 15 * MINUTE_MS }];
	return [
		{ key: `sign-in ${email} ${address}`, quota: 10, windowMs: 15 * MINUTE_MS },
		{ key: `sign-in ${email}`, quota: 100, windowMs: 60 * MINUTE_MS },
	];
}

export function tooManyAttempts(seconds: number): TooManyRequests {
	const minutes = Math.ceil(seconds / 60);
	return new TooManyRequests(
		'Too many attempts',
		`Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
		seconds,
	);
}

async function requireAllowed(context: Context, limits: readonly FailureLimit[]) {
	const now = context.now();
	const windows = await context.database.rateWindows.peek(limits, now);
	const waits = limits.map(({ quota, windowMs }, index) => {
		const window = windows[index];
		if (!window || window.used < quota) return 0;
		return Math.min(windowMs, window.openedAt + windowMs - now);
	});
	const longest = Math.max(...waits);
	if (longest > 0) throw tooManyAttempts(Math.ceil(longest / 1_000));
}

async function countFailure(context: Context, limits: readonly FailureLimit[]) {
	const { rateWindows } = context.database;
	for (const limit of limits) await rateWindows.consume([limit], limit.windowMs, context.now());
}

const signInFailed = () =>
	unauthorized('Sign-in failed', 'The email address or the password is wrong.');

/**
 * Failures are counted after hashing, so concurrent attempts can exceed the limit slightly: by at most
 * the number of queued hashes.
 * @returns the new session's token, and the token by which the browser is recognized from now on
 * @throws Refusal `unauthorized`, the same for a wrong address and a wrong password
 * @throws TooManyRequests after too many failures, or when too many sign-ins are queued
 */
export async function signIn(context: Context, { email, password }: LoginRequest, origin: Origin) {
	const limits = failureLimits(email, origin);
	await requireAllowed(context, limits);
	const member = await memberByEmail(context.database.read, email);
	const hasher = origin.browser === undefined ? 'anybody' : 'known';
	const isRight = await context.passwords.matches(password, member?.password_hash, hasher);
	if (!member || !isRight) {
		await countFailure(context, limits);
		if (member) {
			await recordFailedSignIn(context, member, origin.address);
			context.openPages.accountChanged(member.account_id);
		}
		throw signInFailed();
	}
	const browser = await browserToken(context, email, origin.browser);
	const session = await context.database.write(member.account_id, async (db) => {
		// Checking a password takes time; meanwhile the member may have been removed or may have a new one.
		const current = await memberByEmail(db, email);
		if (current?.id !== member.id || current.password_hash !== member.password_hash)
			throw signInFailed();
		return openSession(db, member.id, context.now());
	});
	return { session, browser };
}

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
export async function knownBrowser(context: Context, email: string, token: string | undefined) {
	const [id = '', signature = '', ...rest] = (token ?? '').split('.');
	if (id === '' || rest.length > 0) return undefined;
	const received = Buffer.from(signature, 'base64url');
	const expected = await signBrowser(context, id, email);
	const isSame = received.length === expected.length && timingSafeEqual(received, expected);
	return isSame ? id : undefined;
}
