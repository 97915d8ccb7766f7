import type { LoginRequest } from '../../contract/console/people.ts';
import { memberByEmail } from '../../store/console/members.ts';
import { recordFailedSignIn } from '../audit.ts';
import type { Context } from '../context.ts';
import { Refusal, TooManyRequests } from '../refusal.ts';
import { announceChange } from './changes.ts';
import { browserToken } from './known-browsers.ts';
import { isPassword } from './passwords.ts';
import { openSession } from './sessions.ts';

const MINUTE_MS = 60 * 1_000;

/** How many wrong passwords are let through in a window, and whose they are. */
interface FailureLimit {
	key: string;
	quota: number;
	windowMs: number;
}

/** Where an attempt to sign in comes from. */
export interface Origin {
	/** Client address, IPv6 by its network. */
	address: string;
	/** A browser with which this e-mail address has signed in before. */
	browser: string | undefined;
}

/**
 * A browser that signed in before has an allowance of its own, so nobody can lock its owner out.
 * Everywhere else the failures on an e-mail address count by client address, and, much more slowly,
 * from all addresses together.
 */
function limitsOf(email: string, { address, browser }: Origin): FailureLimit[] {
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

async function requireAllowed(context: Context, limits: readonly FailureLimit[]): Promise<void> {
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

async function countFailure(context: Context, limits: readonly FailureLimit[]): Promise<void> {
	const { rateWindows } = context.database;
	for (const limit of limits) await rateWindows.consume([limit], limit.windowMs, context.now());
}

const signInFailed = () =>
	new Refusal('unauthorized', 'Sign-in failed', 'The e-mail address or the password is wrong.');

/**
 * Attempts that are hashed at the same time are counted when they have failed, so a few more than the
 * allowance can slip through: as many as may wait for their turn.
 * @returns the new session's token, and what the browser is known by from now on
 * @throws Refusal `unauthorized`, the same for both mistakes
 * @throws TooManyRequests after too many failures, or when too many sign in at the same time
 */
export async function signIn(
	context: Context,
	{ email, password }: LoginRequest,
	origin: Origin,
): Promise<{ session: string; browser: string }> {
	const limits = limitsOf(email, origin);
	await requireAllowed(context, limits);
	const member = await memberByEmail(context.database.read, email);
	const hasher = origin.browser === undefined ? 'anybody' : 'known';
	const isRight = await isPassword(password, member?.password_hash, hasher);
	if (!member || !isRight) {
		await countFailure(context, limits);
		if (member) {
			await recordFailedSignIn(context, member, origin.address);
			announceChange(context, member.account_id);
		}
		throw signInFailed();
	}
	const browser = await browserToken(context, email, origin.browser);
	const session = await context.database.write(member.account_id, async (db) => {
		// To check a password takes a while, in which the member can be removed, or get another one.
		const current = await memberByEmail(db, email);
		if (current?.id !== member.id || current.password_hash !== member.password_hash)
			throw signInFailed();
		return openSession(db, member.id, context.now());
	});
	return { session, browser };
}
