import { identity, key, instant, integer, ref, table, text } from './columns.ts';

/** Members of the console, links that admit people, codes that admit phones, and the audit log. */
export const consoleTables = {
	/** A person who can sign in to the console of an account. */
	members: table(
		{
			id: key(),
			account_id: ref('accounts'),
			/** The user whose phones belong to the member. */
			user_id: text().nullable().references('users', 'set null'),
			name: text(),
			/** Lowercase. Unique across the whole server: the sign-in does not name an account. */
			email: text().unique(),
			role: text<'owner' | 'member'>(),
			/** Includes the parameters of the hash. */
			password_hash: text(),
			created_at: instant(),
			last_login_at: instant().nullable(),
		},
		'index members_by_account on members (account_id)',
		'index members_by_user on members (user_id)',
	),

	sessions: table(
		{
			token_hash: key(),
			member_id: ref('members'),
			created_at: instant(),
			last_used_at: instant(),
			expires_at: instant(),
		},
		'index sessions_by_member on sessions (member_id)',
		'index sessions_by_end on sessions (expires_at)',
	),

	/** Where a session was opened. */
	session_clients: table(
		{
			token_hash: key(),
			/** IP address. */
			address: text(),
			/** What the browser says it is. */
			browser: text(),
		},
		'constraint session_clients_session foreign key (token_hash) references sessions (token_hash) on delete cascade',
	),

	/**
	 * A link that admits one person, once. `setup`: an owner, printed by the server; `invite`: a colleague;
	 * `reset`: a member who sets a new password.
	 */
	join_links: table(
		{
			id: key(),
			token_hash: text().unique(),
			/** null: following the link creates an account. */
			account_id: ref('accounts').nullable(),
			/** The member whose password a `reset` link sets. */
			member_id: ref('members').nullable(),
			purpose: text<'setup' | 'invite' | 'reset'>(),
			role: text<'owner' | 'member'>(),
			/** For an invitation: the only address that can join with it; null: any. */
			email: text().nullable(),
			/** The member who created it; it is deleted with them. null: a command created it. */
			created_by: ref('members').nullable(),
			created_at: instant(),
			expires_at: instant(),
		},
		'index join_links_by_account on join_links (account_id, purpose)',
		'index join_links_by_member on join_links (member_id)',
		'index join_links_by_maker on join_links (created_by)',
		'index join_links_by_end on join_links (expires_at)',
	),

	pair_codes: table(
		{
			code_hash: key(),
			account_id: ref('accounts'),
			user_id: ref('users'),
			/** The future id of the phone, by which the dialog that shows the code recognizes it. */
			device_id: text().nullable(),
			/** The member who created it; it is deleted with them. null: a command created it. */
			created_by: ref('members').nullable(),
			expires_at: instant(),
			created_at: instant(),
		},
		'index pair_codes_by_account on pair_codes (account_id)',
		'index pair_codes_by_user on pair_codes (user_id)',
		'index pair_codes_by_maker on pair_codes (created_by)',
		'index pair_codes_by_end on pair_codes (expires_at)',
	),

	/** Changes and their authors, for owners to read. Contains no secrets, and no content of messages. */
	audit_log: table(
		{
			id: identity(),
			account_id: ref('accounts'),
			at: instant(),
			event: text(),
			actor: text<'member' | 'command_line' | 'phone' | 'key' | 'visitor'>(),
			/** Name of the member, with their email address, or of the phone, with its person, at that time. */
			actor_name: text().nullable(),
			/** Name of the changed thing at that time. */
			subject: text().nullable(),
			/** IP address of a failed sign-in. */
			address: text().nullable(),
			/** Failed sign-ins within one hour share one entry. */
			times: integer().default(1),
		},
		'index audit_log_by_account on audit_log (account_id, id)',
		'index audit_log_by_time on audit_log (at)',
	),
};
