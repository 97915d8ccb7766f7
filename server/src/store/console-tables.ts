import type { Generated, Insertable, Selectable } from 'kysely';

/** The tables that only the console reads; schema.ts says how times and JSON are kept. */
export interface ConsoleTables {
	members: MemberTable;
	sessions: SessionTable;
	join_links: JoinLinkTable;
	metric_values: MetricValueTable;
	request_counts: RequestCountTable;
	audit_log: AuditTable;
}

/** Who signs in to the console of an account. */
interface MemberTable {
	id: string;
	account_id: string;
	name: string;
	/** Lowercase. */
	email: string;
	role: 'owner' | 'member';
	/** With the parameters that it was made with. */
	password_hash: string;
	created_at: number;
	last_login_at: number | null;
	/** The person whose phones are theirs. */
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
 * A link that lets one person in, once. `setup`: an owner, printed by the server; `invite`: a colleague;
 * `reset`: a member who sets a new password.
 */
interface JoinLinkTable {
	id: string;
	token_hash: string;
	/** null: following the link creates an account. */
	account_id: string | null;
	purpose: 'setup' | 'invite' | 'reset';
	role: 'owner' | 'member';
	/** Of an invitation: the only address that can join with it; null: any. */
	email: string | null;
	/** Whose password a `reset` link sets. */
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
	/** Its beginning. */
	hour: number;
	feature: string;
	status: number;
	requests: number;
}

/** Who changed what, for owners to read. It holds no secret, and nothing of what was sent. */
interface AuditTable {
	id: Generated<number>;
	account_id: string;
	at: number;
	event: string;
	actor: 'member' | 'command_line' | 'visitor';
	/** Name and e-mail address of a member, as they were then. */
	actor_name: string | null;
	/** Name of what was changed, as it was then. */
	subject: string | null;
	/** IP address that a failed sign-in came from. */
	address: string | null;
	/** Failed sign-ins of one hour are one entry. */
	times: Generated<number>;
}

export type MemberRow = Selectable<MemberTable>;
export type SessionRow = Selectable<SessionTable>;
export type JoinLinkRow = Selectable<JoinLinkTable>;
export type RequestCountRow = Selectable<RequestCountTable>;
export type AuditRow = Selectable<AuditTable>;
export type NewAuditRow = Insertable<AuditTable>;
