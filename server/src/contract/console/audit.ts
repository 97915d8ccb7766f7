import { z } from 'zod';
import { search } from './history.ts';

/** The events of the audit log. */
export type AuditEvent =
	| 'sign_in_failed'
	| 'password_changed'
	| 'email_changed'
	| 'account_renamed'
	| 'password_reset_link_created'
	| 'password_reset_link_withdrawn'
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
	| 'person_added'
	| 'pair_code_created'
	| 'phone_paired'
	| 'phone_renamed'
	| 'phone_disconnected'
	| 'phone_removed'
	| 'channel_created'
	| 'channel_changed'
	| 'channel_deleted'
	| 'metric_created'
	| 'metric_changed'
	| 'metric_deleted'
	| 'stream_paused'
	| 'stream_resumed'
	| 'stream_ended'
	| 'activity_ended'
	| 'question_withdrawn'
	| 'callback_repeated'
	| 'trigger_registered';

/** GET /console/api/audit, newest first. */
export const auditQuery = z.strictObject({
	/** The id of the last entry on the previous page. */
	before: z.coerce.number().int().min(1).optional(),
	limit: z.coerce.number().int().min(1).max(200).default(50),
	event: z.string().max(64).optional(),
	/** In the names of who did it and of what was changed. */
	search,
});

export interface AuditEntry {
	id: number;
	at: string;
	event: AuditEvent;
	/** `command_line`: a command on the server's machine. `visitor`: someone not signed in. */
	actor: 'member' | 'command_line' | 'phone' | 'key' | 'visitor';
	/** Name of the member, with their email address, or of the phone, with its person, or of the key, at that time. */
	actor_name: string | null;
	/** Name of the changed thing at that time. */
	subject: string | null;
	/** IP address of the last failed sign-in. */
	address: string | null;
	/** Failed sign-ins of one hour share an entry. */
	times: number;
}

export interface AuditPage {
	entries: AuditEntry[];
	/** `before` of the next page; null on the last page. */
	next: number | null;
}

export type AuditQuery = z.output<typeof auditQuery>;
