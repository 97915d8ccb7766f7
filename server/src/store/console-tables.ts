import type { Generated, Selectable } from 'kysely';

/** The tables that only the console reads; schema.ts says how times and JSON are kept. */
export interface ConsoleTables {
	members: MemberTable;
	sessions: SessionTable;
	join_links: JoinLinkTable;
	metric_values: MetricValueTable;
	request_counts: RequestCountTable;
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
}

interface SessionTable {
	token_hash: string;
	member_id: string;
	created_at: number;
	last_used_at: number;
	expires_at: number;
}

/** A link that lets one person in, once. `setup`: an owner, printed by the server; `invite`: a colleague. */
interface JoinLinkTable {
	id: string;
	token_hash: string;
	/** null: whoever follows it creates an account. */
	account_id: string | null;
	purpose: 'setup' | 'invite';
	role: 'owner' | 'member';
	/** Whom it is meant for; a reminder in the list of invitations, not a check. */
	email: string | null;
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

export type MemberRow = Selectable<MemberTable>;
export type SessionRow = Selectable<SessionTable>;
export type JoinLinkRow = Selectable<JoinLinkTable>;
export type RequestCountRow = Selectable<RequestCountTable>;
