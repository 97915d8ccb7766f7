import type { Generated, Insertable, Selectable } from 'kysely';

/** The tables that only the console reads; schema.ts explains the format of times and JSON. */
export interface ConsoleTables {
	members: MemberTable;
	sessions: SessionTable;
	join_links: JoinLinkTable;
	metric_values: MetricValueTable;
	request_counts: RequestCountTable;
	audit_log: AuditTable;
}

/** A person who can sign in to the console of an account. */
interface MemberTable {
	id: string;
	account_id: string;
	name: string;
	/** Lowercase. */
	email: string;
	role: 'owner' | 'member';
	/** Includes the parameters of the hash. */
	password_hash: string;
	created_at: number;
	last_login_at: number | null;
	/** The user whose phones belong to the member. */
	user_id: string | null;
}

interface SessionTable {
	token_hash: string;
	member_id: string;
	created_at: number;
	last_used_at: number;
	expires_at: number;
}

/**
 * A link that admits one person, once. `setup`: an owner, printed by the server; `invite`: a colleague;
 * `reset`: a member who sets a new password.
 */
interface JoinLinkTable {
	id: string;
	token_hash: string;
	/** null: following the link creates an account. */
	account_id: string | null;
	purpose: 'setup' | 'invite' | 'reset';
	role: 'owner' | 'member';
	/** For an invitation: the only address that can join with it; null: any. */
	email: string | null;
	/** The member whose password a `reset` link sets. */
	member_id: string | null;
	created_at: number;
	expires_at: number;
}

/** The newest values of a metric, for a small chart. */
interface MetricValueTable {
	id: Generated<number>;
	account_id: string;
	metric_key: string;
	value_json: string;
	measured_at: number;
}

/** Requests of the public API per hour, feature and status. */
interface RequestCountTable {
	account_id: string;
	/** Start of the hour. */
	hour: number;
	feature: string;
	status: number;
	requests: number;
}

/** Changes and their authors, for owners to read. Contains no secrets, and no content of messages. */
interface AuditTable {
	id: Generated<number>;
	account_id: string;
	at: number;
	event: string;
	actor: 'member' | 'command_line' | 'visitor';
	/** Name and e-mail address of the member at that time. */
	actor_name: string | null;
	/** Name of the changed thing at that time. */
	subject: string | null;
	/** IP address of a failed sign-in. */
	address: string | null;
	/** Failed sign-ins within one hour share one entry. */
	times: Generated<number>;
}

export type MemberRow = Selectable<MemberTable>;
export type SessionRow = Selectable<SessionTable>;
export type JoinLinkRow = Selectable<JoinLinkTable>;
export type RequestCountRow = Selectable<RequestCountTable>;
export type AuditRow = Selectable<AuditTable>;
export type NewAuditRow = Insertable<AuditTable>;
