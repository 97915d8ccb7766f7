import type { FastifyReply, FastifyRequest } from 'fastify';
import {
	findSignedIn,
	SESSION_COOKIE,
	SESSION_LIFETIME_MS,
} from '../../service/people/sessions.ts';
import type { Context, ServiceSettings } from '../../service/context.ts';
import { forbidden, unauthorized } from '../../service/refusal.ts';

/** Identifies a browser after its session has ended. */
const BROWSER_COOKIE = 'beckon_browser';

/** The longest that browsers keep a cookie (RFC 6265bis, section 5.5). */
const BROWSER_LIFETIME_SECONDS = 400 * 24 * 60 * 60;

/** Browsers send the cookies only to the console's own calls, never to the API's or a phone's. */
const COOKIE_PATH = '/console';

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

export function changesSomething({ method }: FastifyRequest): boolean {
	return method !== 'GET' && method !== 'HEAD';
}

/**
 * Rejects calls from other sites: every current browser reports the site of a request. This applies without a
 * session too: another site could sign a visitor in to someone else's account.
 */
export function refuseOtherSites({ headers }: FastifyRequest): void {
	const site = headers['sec-fetch-site'];
	if (site === undefined || site === 'same-origin' || site === 'none') return;
	throw forbidden('Forbidden', 'The console accepts calls only from its own page.');
}

/**
 * The signed-in member who makes the call. A call that changes something must also have the session's CSRF token,
 * which another site can neither read nor make a browser send.
 */
export async function requireSignedIn(context: Context, request: FastifyRequest) {
	const token = request.cookies[SESSION_COOKIE];
	const signedIn = token === undefined ? undefined : await findSignedIn(context, token);
	if (!signedIn) {
		throw unauthorized('Not signed in', 'Sign in to the console first.');
	}
	const csrfToken = request.headers['x-csrf-token'];
	if (changesSomething(request) && csrfToken !== signedIn.session.csrf_token) {
		throw forbidden(
			'Forbidden',
			'The token of this session is missing or wrong. Reload the page and try again.',
		);
	}
	return signedIn;
}
