import { z } from 'zod';

/** What the audit log records. */
export type AuditEvent =
	| 'sign_in_failed'
	| 'password_changed'
	| 'password_reset_link_created'
	| 'password_reset'
	| 'sessions_ended'
	| 'setup_link_created'
	| 'member_invited'
	| 'invitation_withdrawn'
	| 'member_joined'
	| 'member_renamed'
	| 'member_removed'
	| 'role_changed'
	| 'key_created'
	| 'key_revoked'
	| 'sent'
	| 'test_push_sent'
	| 'plan_changed'
	| 'person_renamed'
	| 'person_merged'
	| 'person_removed'
	| 'phone_disconnected'
	| 'phone_removed';

/** GET /console/api/audit, newest first. */
export const auditQuery = z.strictObject({
	/** The id of the last entry of the page before. */
	before: z.coerce.number().int().min(1).optional(),
	limit: z.coerce.number().int().min(1).max(200).default(50),
});

export interface AuditEntry {
	id: number;
	at: string;
	event: AuditEvent;
	/** `command_line`: a command on the server's machine. `visitor`: somebody who is not signed in. */
	actor: 'member' | 'command_line' | 'visitor';
	/** Name and e-mail address of the member, as they were then. */
	actor_name: string | null;
	/** Name of what was changed, as it was then. */
	subject: string | null;
	/** IP address that a failed sign-in came from, the last one of them. */
	address: string | null;
	/** Failed sign-ins of one hour are one entry. */
	times: number;
}

export interface AuditAnswer {
	entries: AuditEntry[];
	/** `before` of the next page; null: this is the last. */
	next: number | null;
}

export type AuditQuery = z.output<typeof auditQuery>;
