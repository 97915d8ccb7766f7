import { z } from 'zod';
import { displayName, text } from '../text.ts';

/** Sign-in, links (setup, invitation, reset) and roles. */
const ROLES = ['owner', 'member'] as const;

const emailAddress = z
	.string()
	.trim()
	.toLowerCase()
	.max(254, 'must be at most 254 characters long')
	.regex(/^[^@\s]+@[^@\s]+$/, 'must be an email address');

/** Long rather than complicated; the upper bound only keeps hashing cheap. */
const newPassword = text({ min: 12, max: 256 });

const linkToken = text({ min: 1, max: 128 });

/** POST /console/api/login */
export const loginRequest = z.strictObject({
	email: emailAddress,
	password: text({ min: 1, max: 256 }),
});

/** POST /console/api/link: describes a link before it is used. */
export const linkRequest = z.strictObject({ token: linkToken });

/** POST /console/api/reset: sets a new password with a link that an owner created. */
export const resetRequest = z.strictObject({ token: linkToken, password: newPassword });

/** The new name of the member, the account, a phone or a person. */
export const nameRequest = z.strictObject({ name: displayName });

/** PUT /console/api/email: the address that the member signs in with. */
export const emailRequest = z.strictObject({
	current_password: text({ min: 1, max: 256 }),
	email: emailAddress,
});

/** PUT /console/api/password: ends the member's other sessions. */
export const passwordRequest = z.strictObject({
	current_password: text({ min: 1, max: 256 }),
	password: newPassword,
});

/**
 * POST /console/api/join: uses up a setup or invitation link. `account` names the account a first setup creates.
 */
export const joinRequest = z.strictObject({
	token: linkToken,
	account: displayName.optional(),
	name: displayName,
	email: emailAddress,
	password: newPassword,
});

export const roleRequest = z.strictObject({ role: z.enum(ROLES) });
export const inviteRequest = roleRequest.extend({ email: emailAddress.optional() });
export const idParams = z.strictObject({ id: z.string().min(1).max(64) });

export interface LinkInfo {
	purpose: 'setup' | 'invite' | 'reset';
	role: Role;
	/** null if following the link creates an account. */
	account: string | null;
	/** For an invitation or a reset: the only address it is valid for. For a setup: a suggestion. */
	email: string | null;
}

/** GET /console/api/session, and the response to a sign-in. */
export interface ConsoleSession {
	member: {
		id: string;
		name: string;
		email: string;
		role: Role;
		/** Name of the person whose phones belong to this member, and their id. */
		user: string | null;
		user_id: string | null;
	};
	account: { id: string; name: string };
	/** Sent back as X-CSRF-Token with every call that changes something. */
	csrf_token: string;
	/** The server's public address: the base of the API and of pairing and invitation links. */
	public_url: string | null;
}

/** GET /console/api/sessions: the member's sessions, newest first. */
export interface OwnSession {
	id: string;
	/** IP address where it was opened, and what the browser said it was; null: not known. */
	address: string | null;
	browser: string | null;
	signed_in_at: string;
	last_used_at: string;
	/** True for the session that makes this request. */
	current: boolean;
}

export interface ConsoleMember {
	id: string;
	name: string;
	email: string;
	role: Role;
	created_at: string;
	last_login_at: string | null;
}

/** A link that still works. DELETE /console/api/invitations/:id revokes it, whatever its kind. */
export interface OpenLink {
	id: string;
	/** Name of the owner who created it; null: a command. */
	created_by: string | null;
	expires_at: string;
}

export interface MembersResponse {
	members: ConsoleMember[];
	invitations: Array<OpenLink & { role: Role; email: string | null }>;
	/** Links that reset a member's password, with the member's name. */
	reset_links: Array<OpenLink & { member: string }>;
}

export type Role = (typeof ROLES)[number];
export type LoginRequest = z.output<typeof loginRequest>;
export type JoinRequest = z.output<typeof joinRequest>;
export type InviteRequest = z.output<typeof inviteRequest>;
export type ResetRequest = z.output<typeof resetRequest>;
export type EmailRequest = z.output<typeof emailRequest>;
export type PasswordRequest = z.output<typeof passwordRequest>;
