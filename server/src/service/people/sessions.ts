import { DAY_MS } from '../../durations.ts';
import type { ConsoleSession, Role } from '../../contract/console/members.ts';
import type { Db, SessionRow } from '../../store/schema.ts';
import {
	deleteSession,
	insertSession,
	insertSessionClient,
	sessionByHash,
	updateMember,
	updateSession,
} from '../../store/people/members.ts';
import type { Caller, Context } from '../context.ts';
import { hashSecret, newToken } from '../secrets.ts';

/** The cookie with the session's token. */
export const SESSION_COOKIE = 'beckon_session';

/** Maximum lifetime of a session, however much it is used. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;

/** Maximum idle time of a session. */
const SESSION_IDLE_MS = 7 * DAY_MS;

/** The user of the console: a signed-in member. */
export interface SignedIn {
	sessionHash: string;
	memberId: string;
	accountId: string;
	role: Role;
	session: Omit<ConsoleSession, 'public_url'>;
}

/** The visitor as a caller of the API, with access to the whole account. */
export function toCaller({ accountId, memberId }: SignedIn): Caller {
	return { accountId, memberId, keyId: null, channels: null };
}

/** Derived from the session's token, so only the token's recipient can know it. */
export function deriveCsrfToken(sessionToken: string): string {
	return hashSecret(`csrf ${sessionToken}`);
}

/** @returns the session's token; only its hash is stored */
export async function openSession(db: Db, memberId: string, now: number): Promise<string> {
	const token = newToken();
	const times = { created_at: now, last_used_at: now, expires_at: now + SESSION_LIFETIME_MS };
	await insertSession(db, { token_hash: hashSecret(token), member_id: memberId, ...times });
	await updateMember(db, memberId, { last_login_at: now });
	return token;
}

/** Longer than any browser's name for itself. */
const BROWSER_LENGTH = 300;

/** Stores where the session was opened, to recognize it by later. */
export async function noteClient(
	context: Context,
	{ accountId, sessionHash }: SignedIn,
	{ address, browser }: { address: string; browser: string },
) {
	const client = { address, browser: browser.slice(0, BROWSER_LENGTH) };
	await context.database.write(accountId, async (db) => {
		// It may have been ended elsewhere since.
		if (await sessionByHash(db, sessionHash))
			await insertSessionClient(db, { token_hash: sessionHash, ...client });
	});
}

export function isOver(session: SessionRow, now: number): boolean {
	return session.expires_at <= now || session.last_used_at + SESSION_IDLE_MS <= now;
}

/** Finds the holder of this token; undefined if the session is unknown, expired or ended. */
export async function findSignedIn(context: Context, token: string) {
	const now = context.now();
	const row = await sessionByHash(context.database.read, hashSecret(token));
	if (!row || isOver(row, now)) return undefined;
	context.lastUsed.note(row.token_hash, row.last_used_at, (db, at) =>
		updateSession(db, row.token_hash, { last_used_at: at }),
	);
	return {
		sessionHash: row.token_hash,
		memberId: row.member_id,
		accountId: row.account_id,
		role: row.role,
		session: {
			member: {
				id: row.member_id,
				name: row.name,
				email: row.email,
				role: row.role,
				user: row.user_name,
				user_id: row.user_id,
			},
			account: { id: row.account_id, name: row.account_name },
			csrf_token: deriveCsrfToken(token),
		},
	} satisfies SignedIn;
}

/** Returns whether the session is still valid; checked by streams that stay open. */
export async function isSignedIn(context: Context, signedIn: SignedIn): Promise<boolean> {
	const row = await sessionByHash(context.database.read, signedIn.sessionHash);
	return row !== undefined && !isOver(row, context.now());
}

export async function signOut(context: Context, signedIn: SignedIn) {
	await context.database.write(signedIn.accountId, (db) => deleteSession(db, signedIn.sessionHash));
}
