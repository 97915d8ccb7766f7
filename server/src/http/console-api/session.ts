import type { FastifyReply, FastifyRequest } from 'fastify';
import {
	type ConsoleSession,
	joinRequest,
	linkRequest,
	loginRequest,
	resetRequest,
} from '../../contract/console/members.ts';
import type { ServiceSettings } from '../../service/context.ts';
import { join } from '../../service/people/join.ts';
import {
	browserToken,
	knownBrowser,
	signIn,
	tooManyAttempts,
} from '../../service/people/sign-in.ts';
import { describeLink } from '../../service/people/links.ts';
import { resetPassword } from '../../service/people/profile.ts';
import { findVisitorByToken, signOut, type Visitor } from '../../service/people/sessions.ts';
import { Refusal } from '../../service/refusal.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { addressSubject, RateLimiter, retryAfterSeconds } from '../rate-limit.ts';
import {
	readBrowserCookie,
	clearSessionCookie,
	setCookies,
	requireVisitor,
} from './authentication.ts';

const WINDOW_SECONDS = 15 * 60;

/** Attempts per client address and window to sign in or use a link, all counted together. */
const ATTEMPTS_PER_ADDRESS = 30;

/** Signing in and using links: the only routes without a session. */
export function registerEntrance(app: TypedApp, { context }: HttpParts): void {
	const limiter = new RateLimiter(WINDOW_SECONDS, context.database.rateWindows, context.now);

	async function countAttempt(request: FastifyRequest): Promise<void> {
		const { allowed, states } = await limiter.consume([
			{ name: 'address', subject: addressSubject(request.ip), quota: ATTEMPTS_PER_ADDRESS },
		]);
		if (!allowed) throw tooManyAttempts(retryAfterSeconds(states));
	}

	async function letIn(
		request: FastifyRequest,
		reply: FastifyReply,
		tokens: { session: string; browser: string },
	): Promise<ConsoleSession> {
		const visitor = await findVisitorByToken(context, tokens.session);
		if (!visitor) {
			// Another session of this member ended all others, or the member was removed.
			throw new Refusal(
				'unauthorized',
				'Not signed in',
				'Your session was ended while you signed in. Sign in again.',
			);
		}
		setCookies(request, reply, context.settings, tokens);
		context.openPages.accountChanged(visitor.accountId);
		return shown(visitor, context.settings);
	}

	app.post('/login', { schema: { body: loginRequest } }, async (request, reply) => {
		const browser = await knownBrowser(context, request.body.email, readBrowserCookie(request));
		// Attempts by others behind the same address do not count against a known browser.
		if (browser === undefined) await countAttempt(request);
		const origin = { address: addressSubject(request.ip), browser };
		return letIn(request, reply, await signIn(context, request.body, origin));
	});
	// By POST, so the link's token appears in no URL and so in no log.
	app.post('/link', { schema: { body: linkRequest } }, async (request) => {
		await countAttempt(request);
		return describeLink(context, request.body.token);
	});
	app.post('/join', { schema: { body: joinRequest } }, async (request, reply) => {
		await countAttempt(request);
		const session = await join(context, request.body);
		const browser = await browserToken(context, request.body.email);
		return letIn(request, reply, { session, browser });
	});
	app.post('/reset', { schema: { body: resetRequest } }, async (request, reply) => {
		await countAttempt(request);
		const { session, email } = await resetPassword(context, request.body);
		return letIn(request, reply, { session, browser: await browserToken(context, email) });
	});
}

function shown({ session }: Visitor, { publicUrl }: ServiceSettings): ConsoleSession {
	return { ...session, public_url: publicUrl === '' ? null : publicUrl };
}

export function registerSession(app: TypedApp, { context }: HttpParts): void {
	app.get('/session', (request) => shown(requireVisitor(request), context.settings));
	app.post('/logout', async (request, reply) => {
		await signOut(context, requireVisitor(request));
		clearSessionCookie(reply);
		return toSuccess();
	});
}
