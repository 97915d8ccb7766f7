import { z } from 'zod';
import { search } from '../text.ts';

/** The events of the audit log. */
export type AuditEvent =
	| 'sign_in_failed'
	| `password_${'changed' | 'reset' | 'reset_link_created' | 'reset_link_withdrawn'}`
	| 'email_changed'
	| 'account_renamed'
	| 'plan_changed'
	| 'sessions_ended'
	| 'setup_link_created'
	| 'invitation_withdrawn'
	| `member_${'invited' | 'joined' | 'renamed' | 'removed'}`
	| 'role_changed'
	| `key_${'created' | 'revoked'}`
	| 'sent'
	| 'test_push_sent'
	| `person_${'added' | 'renamed' | 'merged' | 'removed'}`
	| 'pair_code_created'
	| `phone_${'paired' | 'renamed' | 'disconnected' | 'removed'}`
	| `${'channel' | 'metric'}_${'created' | 'changed' | 'deleted'}`
	| `stream_${'paused' | 'resumed' | 'ended'}`
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
