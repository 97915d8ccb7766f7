import type { ENTRANCE_CALLS } from '../../contract/console/calls.ts';
import type { ConsoleSession } from '../../contract/console/members.ts';
import { join } from '../../service/people/join.ts';
import {
	browserToken,
	knownBrowser,
	signIn,
	tooManyAttempts,
} from '../../service/people/sign-in.ts';
import { describeLink } from '../../service/people/links.ts';
import { resetPassword } from '../../service/people/profile.ts';
import { findSignedIn, noteClient, type SignedIn } from '../../service/people/sessions.ts';
import type { Context, ServiceSettings } from '../../service/context.ts';
import { unauthorized } from '../../service/refusal.ts';
import { addressSubject, count, type Limit, limited } from '../limits.ts';
import { readBrowserCookie, setCookies } from './console-authentication.ts';
import type { Exchange, Routes } from './register.ts';

/** Attempts per client address and window to sign in or use a link, all counted together. */
const ATTEMPTS: Limit = { name: 'address', seconds: 15 * 60, quota: 30, refuse: tooManyAttempts };

interface EntranceClient {
	context: Context;
}

export const ENTRANCE: Routes<typeof ENTRANCE_CALLS, EntranceClient> = {
	'POST /login': async (exchange) => {
		const { context, request, body } = exchange;
		const browser = await knownBrowser(context, body.email, readBrowserCookie(request));
		const address = addressSubject(request.ip);
		// Attempts by others behind the same address do not count against a known browser.
		if (browser === undefined) await count(context, ATTEMPTS, address);
		return completeSignIn(exchange, await signIn(context, body, { address, browser }));
	},
	'POST /link': limited(ATTEMPTS, ({ context, body }) => describeLink(context, body.token)),
	'POST /join': limited(ATTEMPTS, async (exchange) => {
		const { context, body } = exchange;
		const session = await join(context, body);
		return completeSignIn(exchange, { session, browser: await browserToken(context, body.email) });
	}),
	'POST /reset': limited(ATTEMPTS, async (exchange) => {
		const { context, body } = exchange;
		const { session, email } = await resetPassword(context, body);
		return completeSignIn(exchange, { session, browser: await browserToken(context, email) });
	}),
};

async function completeSignIn(
	{ context, request, reply }: Exchange & EntranceClient,
	tokens: { session: string; browser: string },
): Promise<ConsoleSession> {
	const signedIn = await findSignedIn(context, tokens.session);
	if (!signedIn) {
		// Another session of this member ended all others, or the member was removed.
		throw unauthorized(
			'Not signed in',
			'Your session was ended while you signed in. Sign in again.',
		);
	}
	const { ip: address, headers } = request;
	await noteClient(context, signedIn, { address, browser: headers['user-agent'] ?? '' });
	setCookies(request, reply, context.settings, tokens);
	context.openPages.accountChanged(signedIn.accountId);
	return toSession(signedIn, context.settings);
}

/** The session as the page sees it. */
export function toSession({ session }: SignedIn, { publicUrl }: ServiceSettings): ConsoleSession {
	return { ...session, public_url: publicUrl === '' ? null : publicUrl };
}
