import { passwordRequest, profileRequest } from '../../contract/console/members.ts';
import {
	changeOwnName,
	changeOwnPassword,
	endOtherSessions,
	ownSessions,
} from '../../service/people/profile.ts';
import { tooManyAttempts } from '../../service/people/sign-in.ts';
import type { HttpParts } from '../parts.ts';
import { RateLimiter, retryAfterSeconds } from '../rate-limit.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { actingContext, requireVisitor } from './authentication.ts';

const WINDOW_SECONDS = 15 * 60;

/** Attempts per window to change the password, so it cannot be guessed in a session left open. */
const ATTEMPTS = 10;

/** The settings every member changes for themselves. */
export function registerProfile(app: TypedApp, { context }: HttpParts): void {
	const limiter = new RateLimiter(WINDOW_SECONDS, context.database.rateWindows, context.now);
	app.put('/profile', { schema: { body: profileRequest } }, (request) =>
		changeOwnName(actingContext(context, request), requireVisitor(request), request.body.name).then(
			toSuccess,
		),
	);
	app.put('/password', { schema: { body: passwordRequest } }, async (request) => {
		const { allowed, states } = await limiter.consume([
			{ name: 'password', subject: requireVisitor(request).memberId, quota: ATTEMPTS },
		]);
		if (!allowed) throw tooManyAttempts(retryAfterSeconds(states));
		await changeOwnPassword(actingContext(context, request), requireVisitor(request), request.body);
		return toSuccess();
	});
	app.get('/sessions', (request) => ownSessions(context, requireVisitor(request)));
	app.delete('/sessions', async (request) => ({
		ended: await endOtherSessions(actingContext(context, request), requireVisitor(request)),
	}));
}
