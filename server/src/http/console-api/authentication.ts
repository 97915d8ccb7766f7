import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActingContext } from '../../service/audit.ts';
import {
	findVisitorByToken,
	SESSION_LIFETIME_MS,
	type Visitor,
} from '../../service/people/sessions.ts';
import type { Context, ServiceSettings } from '../../service/context.ts';
import { ownersOnly, Refusal } from '../../service/refusal.ts';
import type { TypedApp } from '../typed-app.ts';

const SESSION_COOKIE = 'beckon_session';

/** Identifies a browser after its session has ended. */
const BROWSER_COOKIE = 'beckon_browser';

/** The longest that browsers keep a cookie (RFC 6265bis, section 5.5). */
const BROWSER_LIFETIME_SECONDS = 400 * 24 * 60 * 60;

/** Browsers send the cookies only to the console's own calls, never to the API's or a phone's. */
const COOKIE_PATH = '/console';

const visitors = new WeakMap<FastifyRequest, Visitor>();

/** The visitor making this request; only for routes behind `authenticateVisitor`. */
export function requireVisitor(request: FastifyRequest): Visitor {
	const visitor = visitors.get(request);
	if (!visitor) throw new Error(`The route ${request.url} has no authentication`);
	return visitor;
}

/** The context in which this request's visitor acts, named in the audit log. */
export function actingContext(context: Context, request: FastifyRequest): ActingContext {
	const { id, name, email } = requireVisitor(request).session.member;
	return { ...context, actor: { kind: 'member', id, name, email } };
}

/** That context and the visitor's account: the first arguments of what changes an account. */
export function acting(
	context: Context,
	request: FastifyRequest,
): [context: ActingContext, accountId: string] {
	return [actingContext(context, request), requireVisitor(request).accountId];
}

/**
 * `Strict` costs nothing here: a link from elsewhere opens the page, and the page then makes the calls from the
 * same site. `Secure` wherever the connection is TLS, here or at the proxy in front.
 */
export function setCookies(
	request: FastifyRequest,
	reply: FastifyReply,
	{ publicUrl }: ServiceSettings,
	{ session, browser }: { session: string; browser: string },
): void {
	const isTls = request.protocol === 'https' || publicUrl.startsWith('https:');
	const options = { path: COOKIE_PATH, httpOnly: true, sameSite: 'strict', secure: isTls } as const;
	reply
		.setCookie(SESSION_COOKIE, session, { ...options, maxAge: SESSION_LIFETIME_MS / 1_000 })
		.setCookie(BROWSER_COOKIE, browser, { ...options, maxAge: BROWSER_LIFETIME_SECONDS });
}

/** The unverified cookie the browser got at its last sign-in. */
export function readBrowserCookie(request: FastifyRequest): string | undefined {
	return request.cookies[BROWSER_COOKIE];
}

export function clearSessionCookie(reply: FastifyReply): void {
	reply.clearCookie(SESSION_COOKIE, { path: COOKIE_PATH });
}

function changesSomething({ method }: FastifyRequest): boolean {
	return method !== 'GET' && method !== 'HEAD';
}

/**
 * Refuses calls from other sites: every current browser reports the site of a request. Another site has no
 * business here even without a session: it could sign a visitor in to someone else's account.
 */
export function refuseOtherSites(app: TypedApp): void {
	app.addHook('onRequest', (request, _reply, done) => {
		const site = request.headers['sec-fetch-site'];
		const isOther = site !== undefined && site !== 'same-origin' && site !== 'none';
		done(
			isOther
				? new Refusal('forbidden', 'Forbidden', 'The console takes calls from its own page only.')
				: undefined,
		);
	});
}

/**
 * Lets only signed-in members reach the routes of `app`. A call that changes something must also carry the
 * session's CSRF token, which another site can neither read nor make a browser send.
 */
export function authenticateVisitor(app: TypedApp, context: Context): void {
	app.addHook('onRequest', async (request) => {
		const token = request.cookies[SESSION_COOKIE];
		const visitor = token === undefined ? undefined : await findVisitorByToken(context, token);
		if (!visitor) {
			throw new Refusal('unauthorized', 'Not signed in', 'Sign in to the console first.');
		}
		if (
			changesSomething(request) &&
			request.headers['x-csrf-token'] !== visitor.session.csrf_token
		) {
			throw new Refusal(
				'forbidden',
				'Forbidden',
				'The call lacks the token of this session. Reload the page and try again.',
			);
		}
		visitors.set(request, visitor);
	});
	app.addHook('onResponse', (request, _reply, done) => {
		const visitor = visitors.get(request);
		if (visitor && changesSomething(request)) context.openPages.accountChanged(visitor.accountId);
		done();
	});
}

/** For routes only an owner may call, after `authenticateVisitor`. */
export async function onlyOwner(request: FastifyRequest): Promise<void> {
	if (requireVisitor(request).role === 'owner') return;
	throw ownersOnly();
}
