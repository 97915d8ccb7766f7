import { DAY_MS, HOUR_MS } from '../durations.ts';
import type { AuditPage, AuditEntry, AuditEvent, AuditQuery } from '../contract/console/audit.ts';
import {
	deleteAuditEntries,
	insertAuditEntry,
	listAuditEntries,
	repeatAuditEntry,
} from '../store/audit-log.ts';
import { memberById } from '../store/people/members.ts';
import type { Db } from '../store/schema.ts';
import { type Context, isoTime } from './context.ts';
import { ownersOnly } from './refusal.ts';

/** Retention of an entry. */
const KEPT_MS = 365 * DAY_MS;

const ROWS_AT_ONCE = 500;

/** The author of a change: a signed-in member, a paired phone, or a command on the server's machine. */
type Actor =
	| { kind: 'member'; id: string; name: string; email: string }
	| { kind: 'phone'; name: string; user_name: string }
	| { kind: 'key'; name: string }
	| { kind: 'command_line' };

export const COMMAND_LINE: Actor = { kind: 'command_line' };

/** The context of an operation recorded in the audit log. */
export interface ActingContext extends Context {
	actor: Actor;
}

/** Names a member in the audit log. */
export function memberLabel({ name, email }: { name: string; email: string }): string {
	return `${name} (${email})`;
}

/** Names a phone in the audit log, with its person. */
export function phoneLabel({ name, user_name: user }: { name: string; user_name: string }): string {
	return `${name} (${user})`;
}

function actorName(actor: Actor): string | null {
	if (actor.kind === 'command_line') return null;
	if (actor.kind === 'key') return actor.name;
	return actor.kind === 'member' ? memberLabel(actor) : phoneLabel(actor);
}

/**
 * The acting member as of this transaction: their role may have changed since the request began.
 * @returns undefined for a command
 * @throws Refusal `forbidden` if they have been removed since
 */
export async function actingMember(db: Db, { actor }: ActingContext, accountId: string) {
	if (actor.kind !== 'member') return undefined;
	const member = await memberById(db, accountId, actor.id);
	if (!member) throw ownersOnly();
	return member;
}

/**
 * Writes an entry to the audit log, in the transaction of the change itself.
 * @param subject name of the changed thing; never a secret, nor the content of a message
 */
export async function record(
	db: Db,
	{ actor, now }: Pick<ActingContext, 'actor' | 'now'>,
	accountId: string,
	event: AuditEvent,
	subject: string | null = null,
) {
	const author = { actor: actor.kind, actor_name: actorName(actor), address: null };
	await insertAuditEntry(db, { account_id: accountId, at: now(), event, subject, ...author });
}

/** Records a change made in another transaction. */
export function recordDone(
	context: ActingContext,
	accountId: string,
	event: AuditEvent,
	subject: string,
) {
	return context.database.write(accountId, (db) => record(db, context, accountId, event, subject));
}

/**
 * Records a sign-in with a wrong password. Failures within one hour share one entry with a count, so
 * guessing cannot flood the log.
 */
export async function recordFailedSignIn(
	context: Context,
	member: { account_id: string; email: string },
	address: string,
) {
	const at = context.now();
	const { account_id, email: subject } = member;
	const event: AuditEvent = 'sign_in_failed';
	const author = { actor: 'visitor' as const, actor_name: null, address };
	const entry = { account_id, at, event, subject, ...author };
	await context.database.write(account_id, async (db) => {
		if (!(await repeatAuditEntry(db, entry, at - HOUR_MS))) await insertAuditEntry(db, entry);
	});
}

/** The account's audit log, newest first. */
export async function auditLog(context: Context, accountId: string, query: AuditQuery) {
	const { limit } = query;
	const oneMore = { ...query, limit: limit + 1 };
	const rows = await listAuditEntries(context.database.read, accountId, oneMore);
	const entries = rows
		.slice(0, limit)
		.map(({ account_id: _account, at, event, ...row }): AuditEntry => ({
			...row,
			at: isoTime(at),
			event: event as AuditEvent,
		}));
	return {
		entries,
		next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null,
	} satisfies AuditPage;
}

/**
 * Deletes entries older than a year, a few at a time, so other requests can run in between.
 * @param signal stops the deletion between two writes
 */
export async function deleteOldAuditEntries({ database, now }: Context, signal?: AbortSignal) {
	const before = now() - KEPT_MS;
	let deleted = ROWS_AT_ONCE;
	while (deleted === ROWS_AT_ONCE && !signal?.aborted)
		deleted = await database.write(null, (db) => deleteAuditEntries(db, before, ROWS_AT_ONCE));
}
