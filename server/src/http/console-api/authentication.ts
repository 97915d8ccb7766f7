import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActingContext } from '../../service/audit.ts';
import { announceChange } from '../../service/console/changes.ts';
import {
	SESSION_LIFETIME_MS,
	type Visitor,
	visitorOfToken,
} from '../../service/console/sessions.ts';
import type { Context } from '../../service/context.ts';
import { Refusal } from '../../service/refusal.ts';
import type { TypedApp } from '../typed-app.ts';

const SESSION_COOKIE = 'beckon_session';

/** By which a browser is known after its session has ended. */
const BROWSER_COOKIE = 'beckon_browser';

/** As long as browsers keep a cookie at most (RFC 6265bis, section 5.5). */
const BROWSER_LIFETIME_SECONDS = 400 * 24 * 60 * 60;

/** The browser sends it to the console's own calls only, never to the API's or a phone's. */
const COOKIE_PATH = '/console';

const visitors = new WeakMap<FastifyRequest, Visitor>();

/** Who makes this request; only for routes behind `authenticateVisitor`. */
export function visitorOf(request: FastifyRequest): Visitor {
	const visitor = visitors.get(request);
	if (!visitor) throw new Error(`The route ${request.url} has no authentication`);
	return visitor;
}

/** The context in which the visitor of this request acts, by name in the audit log. */
export function actingContext(context: Context, request: FastifyRequest): ActingContext {
	const { name, email } = visitorOf(request).session.member;
	return { ...context, actor: { kind: 'member', name, email } };
}

/**
 * `Strict` costs nobody anything here: a link from elsewhere opens the page, and it is the page,
 * from the same site, that then makes the calls. `Secure` wherever the connection is TLS, here or
 * at the proxy in front.
 */
export function setCookies(
	request: FastifyRequest,
	reply: FastifyReply,
	publicUrl: string | undefined,
	{ session, browser }: { session: string; browser: string },
): void {
	const isTls = request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);
	const options = { path: COOKIE_PATH, httpOnly: true, sameSite: 'strict', secure: isTls } as const;
	reply
		.setCookie(SESSION_COOKIE, session, { ...options, maxAge: SESSION_LIFETIME_MS / 1_000 })
		.setCookie(BROWSER_COOKIE, browser, { ...options, maxAge: BROWSER_LIFETIME_SECONDS });
}

/** What the browser got when somebody last signed in with it; nobody has checked it yet. */
export function browserCookieOf(request: FastifyRequest): string | undefined {
	return request.cookies[BROWSER_COOKIE];
}

export function clearSessionCookie(reply: FastifyReply): void {
	reply.clearCookie(SESSION_COOKIE, { path: COOKIE_PATH });
}

function changesSomething({ method }: FastifyRequest): boolean {
	return method !== 'GET' && method !== 'HEAD';
}

/**
 * Every browser of today says from which site a request comes; another site has no business here,
 * with or without a session: it could sign somebody in to an account that is not theirs.
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
 * Lets only signed-in members to the routes of `app`. What changes something must also carry the
 * session's CSRF token, which another site can make a browser send no more than it can read it.
 */
export function authenticateVisitor(app: TypedApp, context: Context): void {
	app.addHook('onRequest', async (request) => {
		const token = request.cookies[SESSION_COOKIE];
		const visitor = token === undefined ? undefined : await visitorOfToken(context, token);
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
		if (visitor && changesSomething(request)) announceChange(context, visitor.accountId);
		done();
	});
}

/** For routes that only an owner may call, after `authenticateVisitor`. */
export async function onlyOwner(request: FastifyRequest): Promise<void> {
	if (visitorOf(request).role === 'owner') return;
	throw new Refusal(
		'forbidden',
		'Owners only',
		'Only an owner of this account may do this. Ask one of them.',
	);
}
