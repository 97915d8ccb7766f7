import type { FastifyReply, FastifyRequest } from 'fastify';
import {
	type ConsoleSession,
	joinRequest,
	linkRequest,
	loginRequest,
} from '../../contract/console/people.ts';
import { announceChange } from '../../service/console/changes.ts';
import { describeLink, join } from '../../service/console/join.ts';
import { signIn, signOut, type Visitor, visitorOfToken } from '../../service/console/sessions.ts';
import type { TypedApp } from '../typed-app.ts';
import { addressSubject, type Policy, RateLimiter, retryAfterSeconds } from '../rate-limit.ts';
import { clearSessionCookie, setSessionCookie, visitorOf } from './authentication.ts';
import { type ConsoleParts, success } from './parts.ts';

const WINDOW_SECONDS = 15 * 60;

/**
 * Attempts to get in per window. Those on one e-mail address are few whoever makes them, so that
 * many addresses together guess no faster; somebody who is signed in is not kept out by them.
 */
const ATTEMPTS_PER_ADDRESS = 30;
const ATTEMPTS_PER_EMAIL = 10;

function inMinutes(seconds: number): string {
	const minutes = Math.ceil(seconds / 60);
	return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** Signing in and using links: the only routes without a session. */
export function registerEntrance(app: TypedApp, { context, publicUrl }: ConsoleParts): void {
	const limiter = new RateLimiter(WINDOW_SECONDS, context.database.rateWindows, context.now);

	/** Whether this attempt may be made; if not, it is answered. */
	async function mayTry(
		request: FastifyRequest,
		reply: FastifyReply,
		email?: string,
	): Promise<boolean> {
		const policies: Policy[] = [
			{ name: 'address', subject: addressSubject(request.ip), quota: ATTEMPTS_PER_ADDRESS },
		];
		if (email !== undefined)
			policies.push({ name: 'email', subject: email, quota: ATTEMPTS_PER_EMAIL });
		const { allowed, states } = await limiter.consume(policies);
		if (allowed) return true;
		const seconds = retryAfterSeconds(states);
		reply
			.status(429)
			.header('retry-after', seconds)
			.send({
				error: 'Too many attempts',
				message: `Too many attempts. Try again in ${inMinutes(seconds)}.`,
			});
		return false;
	}

	async function letIn(
		request: FastifyRequest,
		reply: FastifyReply,
		token: string,
	): Promise<ConsoleSession> {
		const visitor = await visitorOfToken(context, token);
		if (!visitor) throw new Error('A session that was opened just now is not there');
		setSessionCookie(request, reply, publicUrl, token);
		announceChange(context, visitor.accountId);
		return shown(visitor, publicUrl);
	}

	app.post('/login', { schema: { body: loginRequest } }, async (request, reply) => {
		if (!(await mayTry(request, reply, request.body.email))) return reply;
		return letIn(request, reply, await signIn(context, request.body));
	});
	// By POST, so that the link's token stands in no URL and so in nobody's log.
	app.post('/link', { schema: { body: linkRequest } }, async (request, reply) => {
		if (!(await mayTry(request, reply))) return reply;
		return describeLink(context, request.body.token);
	});
	app.post('/join', { schema: { body: joinRequest } }, async (request, reply) => {
		if (!(await mayTry(request, reply))) return reply;
		return letIn(request, reply, await join(context, request.body));
	});
}

function shown(visitor: Visitor, publicUrl: string | undefined): ConsoleSession {
	return { ...visitor.session, public_url: publicUrl ?? null };
}

export function registerSession(app: TypedApp, { context, publicUrl }: ConsoleParts): void {
	app.get('/session', (request) => shown(visitorOf(request), publicUrl));
	app.post('/logout', async (request, reply) => {
		await signOut(context, visitorOf(request));
		clearSessionCookie(reply);
		return success;
	});
}
