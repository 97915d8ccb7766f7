import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEvent } from '../../contract/console/audit.ts';
import type { Call } from '../../contract/calls.ts';
import { ENTRANCE_CALLS, MEMBER_CALLS } from '../../contract/console/calls.ts';
import type { UsageResponse } from '../../contract/console/history.ts';
import {
	PLAYGROUND_CALLS,
	playgroundRequest,
	type PlaygroundRequest,
} from '../../contract/console/playground.ts';
import { toIssues } from '../../contract/issues.ts';
import { PUBLIC_CALLS } from '../../contract/public-calls.ts';
import { HISTORY_HEADER } from '../../contract/push-headers.ts';
import type { Feature } from '../../contract/values.ts';
import { end } from '../../service/activities/requests.ts';
import {
	addUser,
	mergePerson,
	peopleForConsole,
	peopleNames,
	phonesOfPerson,
	removePerson,
	renamePerson,
} from '../../service/people/people.ts';
import { createPairCode } from '../../service/phones/pairing.ts';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../../service/keys-and-channels/api-keys.ts';
import { type ActingContext, auditLog, recordDone } from '../../service/audit.ts';
import {
	changeChannel,
	channelForConsole,
	channelNames,
	channelsForConsole,
	createChannel,
	removeChannel,
} from '../../service/keys-and-channels/channels.ts';
import {
	devicesForConsole,
	disconnectDevice,
	removeDevice,
	renameDeviceTo,
} from '../../service/phones/devices.ts';
import { repeatCallback } from '../../service/questions/callbacks.ts';
import {
	answerInConsole,
	questionsForConsole,
	withdrawInConsole,
	withdrawQuestionsOfKey,
} from '../../service/questions/console.ts';
import { renameAccount } from '../../service/accounts/accounts.ts';
import { firstSteps, loadUsage } from '../../service/accounts/usage.ts';
import { historyEntry } from '../../service/history/entry.ts';
import { historyCsv, historyForConsole } from '../../service/history/list.ts';
import { inviteMember } from '../../service/people/join.ts';
import { liveForConsole } from '../../service/activities/live.ts';
import {
	changeRole,
	createResetLink,
	listAccountMembers,
	removeMember,
	withdrawLink,
} from '../../service/people/members.ts';
import {
	changeMetric,
	createMetric,
	metricsForConsole,
	removeMetric,
} from '../../service/metrics.ts';
import { previewForPlayground } from '../../service/playground.ts';
import {
	changeOwnEmail,
	changeOwnName,
	changeOwnPassword,
	endOtherSessions,
	endSession,
	ownSessions,
} from '../../service/people/profile.ts';
import { signOut, toCaller, type SignedIn } from '../../service/people/sessions.ts';
import { tooManyAttempts } from '../../service/people/sign-in.ts';
import { sendTestPush } from '../../service/phones/test-push.ts';
import type { Caller } from '../../service/context.ts';
import { storeImage } from '../../service/images/images.ts';
import { invalidRequest, ownersOnly } from '../../service/refusal.ts';
import { sendAgain } from '../../service/sending/again.ts';
import { deleteStreamByKey, pauseStream, resumeStream } from '../../service/streams/requests.ts';
import { accountPolicy, count, FEATURES, type Limit, refuseFor } from '../limits.ts';
import type { HttpParts, TypedApp } from '../typed-app.ts';
import { pictureIn } from '../images.ts';
import { PUBLIC_HANDLERS } from '../public-handlers.ts';
import { historyLinks } from '../request-log.ts';
import { EventStreams } from '../sse.ts';
import { Turns } from '../turns.ts';
import { compressJson } from '../compressed.ts';
import {
	changesSomething,
	clearSessionCookie,
	refuseOtherSites,
	requireSignedIn,
} from './console-authentication.ts';
import { ENTRANCE, toSession } from './console-entrance.ts';
import { CONSOLE_STREAMS, ConsoleEvents } from './console-events.ts';
import { type Exchange, registerRoutes, type Routes } from './register.ts';

interface MemberClient extends HttpParts {
	/** Names the member in the audit log. */
	context: ActingContext;
	signedIn: SignedIn;
	/** The first arguments of what reads or changes an account. */
	acting: [context: ActingContext, accountId: string];
	/** The member as a caller of the public API. */
	caller: Caller;
	streams: EventStreams;
}

/** For routes that only an owner can call. */
function owner<X, A>(handler: (exchange: X) => A) {
	return { allow: requireOwner, handler };
}

function requireOwner({ signedIn }: MemberClient): void {
	if (signedIn.role !== 'owner') throw ownersOnly();
}

/** For changes that their service does not record: the audit log names what the path names. */
function audited<X extends MemberClient & { params: object }, A>(
	event: AuditEvent,
	handler: (exchange: X) => Promise<A>,
) {
	return async (exchange: X): Promise<A> => {
		const response = await handler(exchange);
		await recordDone(...exchange.acting, event, Object.values(exchange.params).join());
		return response;
	};
}

/** Attempts to change the password or the email address, so it cannot be guessed from a session left open. */
const PASSWORD_ATTEMPTS: Limit = {
	name: 'password',
	seconds: 15 * 60,
	quota: 10,
	refuse: tooManyAttempts,
};

const SIGNED_IN: Routes<typeof MEMBER_CALLS, MemberClient> = {
	'GET /session': ({ context, signedIn }) => toSession(signedIn, context.settings),
	'POST /logout': async ({ context, signedIn, reply }) => {
		await signOut(context, signedIn);
		clearSessionCookie(reply);
	},
	'PUT /profile': ({ context, signedIn, body }) => changeOwnName(context, signedIn, body.name),
	'PUT /account': owner(({ acting, body }) => renameAccount(...acting, body.name)),
	'PUT /email': async ({ context, signedIn, body }) => {
		await count(context, PASSWORD_ATTEMPTS, signedIn.memberId);
		await changeOwnEmail(context, signedIn, body);
	},
	'PUT /password': async ({ context, signedIn, body }) => {
		await count(context, PASSWORD_ATTEMPTS, signedIn.memberId);
		await changeOwnPassword(context, signedIn, body);
	},
	'GET /sessions': ({ context, signedIn }) => ownSessions(context, signedIn),
	'DELETE /sessions/:id': ({ context, signedIn, params }) =>
		endSession(context, signedIn, params.id),
	'DELETE /sessions': async ({ context, signedIn }) => ({
		ended: await endOtherSessions(context, signedIn),
	}),
	'GET /events': ({ context, signedIn, reply, streams }) =>
		streams.open(reply, new ConsoleEvents(context, signedIn), signedIn.sessionHash),

	'GET /devices': ({ acting, query }) => devicesForConsole(...acting, query),
	'POST /devices/pair-code': ({ acting, body }) => createPairCode(...acting, body.user),
	'PUT /devices/:id': ({ acting, params, body }) => renameDeviceTo(...acting, params.id, body.name),
	'POST /devices/:id/test': async (exchange) => {
		await spend(exchange, 'notifications');
		return sendTestPush(...exchange.acting, exchange.params.id);
	},
	'DELETE /devices/:id': ({ acting, params }) => disconnectDevice(...acting, params.id),
	'POST /devices/:id/remove': ({ acting, params }) => removeDevice(...acting, params.id),

	// People who have phones. Any member adds them; owners rename, merge and remove them.
	'GET /users': ({ acting, query }) => peopleForConsole(...acting, query),
	'GET /user-names': ({ acting }) => peopleNames(...acting),
	'GET /users/:id/phones': ({ acting, params }) => phonesOfPerson(...acting, params.id),
	'POST /users': async ({ acting, body }) => ({ name: (await addUser(...acting, body)).name }),
	'PUT /users/:id': owner(({ acting, params, body }) =>
		renamePerson(...acting, params.id, body.name),
	),
	'POST /users/:id/merge': owner(({ acting, params, body }) =>
		mergePerson(...acting, params.id, body.into),
	),
	'DELETE /users/:id': owner(({ acting, params }) => removePerson(...acting, params.id)),

	'GET /channels': ({ acting, query }) => channelsForConsole(...acting, query),
	'GET /channel-names': ({ acting }) => channelNames(...acting),
	'GET /channels/:slug': ({ acting, params }) => channelForConsole(...acting, params.slug),
	'POST /channels': async ({ acting, body }) => ({
		slug: (await createChannel(...acting, body)).slug,
	}),
	'PUT /channels/:slug': ({ acting, params, body }) => changeChannel(...acting, params.slug, body),
	'DELETE /channels/:slug': ({ acting, params }) => removeChannel(...acting, params.slug),

	// Any member sees the keys, by name and last four characters; owners create and revoke them.
	'GET /keys': ({ acting }) => listAccountApiKeys(...acting),
	'POST /keys': owner(({ acting, body }) => createApiKey(...acting, body)),
	'DELETE /keys/:id': owner(async ({ acting, params, body }) => {
		await revokeKey(...acting, params.id);
		if (body?.withdraw_questions) await withdrawQuestionsOfKey(...acting, params.id);
	}),

	'GET /metrics': ({ acting, query }) => metricsForConsole(...acting, query.page),
	'POST /metrics': ({ acting, body }) => createMetric(...acting, body),
	'PUT /metrics/:key': ({ acting, params, body }) => changeMetric(...acting, params.key, body),
	'DELETE /metrics/:key': ({ acting, params }) => removeMetric(...acting, params.key),

	'GET /live': ({ acting, query }) => liveForConsole(...acting, query),
	'GET /first-steps': ({ acting }) => firstSteps(...acting),
	'POST /streams/:stream_key/pause': audited('stream_paused', ({ acting, params }) =>
		pauseStream(...acting, params.stream_key),
	),
	'POST /streams/:stream_key/resume': audited('stream_resumed', async ({ acting, params }) => ({
		started: await resumeStream(...acting, params.stream_key),
	})),
	'DELETE /streams/:stream_key': audited('stream_ended', ({ context, caller, params }) =>
		deleteStreamByKey(context, caller, params.stream_key, {}),
	),
	'POST /activities/:id/end': audited('activity_ended', ({ context, caller, params }) =>
		end(context, caller, { activity_id: params.id, content_state: {} }),
	),

	'GET /history': ({ acting, query }) => historyForConsole(...acting, query),
	'GET /history/:id': ({ acting, params, query }) => historyEntry(...acting, params.id, query),
	'POST /history/:id/send': async (exchange) => {
		await spend(exchange, 'notifications');
		const response = await sendAgain(exchange.context, exchange.caller, exchange.params.id);
		await recordDone(...exchange.acting, 'sent', 'push');
		return { ...response, history_id: String(exchange.reply.getHeader(HISTORY_HEADER)) };
	},
	'GET /history.csv': ({ acting, query, reply }) =>
		reply
			.headers({
				'content-type': 'text/csv; charset=utf-8',
				'content-disposition': 'attachment; filename="beckon-history.csv"',
			})
			.send(Readable.from(historyCsv(...acting, query))),

	'GET /questions': ({ acting, query }) => questionsForConsole(...acting, query),
	'POST /questions/:question_id/answer': ({ acting, params, body }) =>
		answerInConsole(...acting, params.question_id, body),
	'POST /questions/:question_id/callback': ({ acting, params }) =>
		repeatCallback(...acting, params.question_id),
	'DELETE /questions/:question_id': ({ acting, params }) =>
		withdrawInConsole(...acting, params.question_id),

	'GET /members': ({ acting }) => listAccountMembers(...acting),
	'POST /invitations': owner(async ({ acting, body }) => ({
		token: await inviteMember(...acting, body),
	})),
	'DELETE /invitations/:id': owner(({ acting, params }) => withdrawLink(...acting, params.id)),
	'PUT /members/:id': owner(({ acting, params, body }) =>
		changeRole(...acting, params.id, body.role),
	),
	'POST /members/:id/reset-link': owner(async ({ acting, params }) => ({
		token: await createResetLink(...acting, params.id),
	})),
	'DELETE /members/:id': owner(({ acting, params }) => removeMember(...acting, params.id)),

	'GET /audit': owner(({ acting, query }) => auditLog(...acting, query)),
	'GET /usage': readUsage,

	// The Playground sends as the account itself, so it needs no key to create, show or store. Its requests
	// count toward the account's rate limit like a workflow's.
	'POST /playground/preview': ({ acting, body }) =>
		previewForPlayground(...acting, readPlayground(body)),
	'POST /playground/send': (exchange) =>
		sendFromPlayground(exchange, readPlayground(exchange.body)),
	'POST /playground/image': async (exchange) => {
		await spend(exchange, 'images');
		return storeImage(exchange.context, exchange.caller, pictureIn(exchange.request));
	},
};

/**
 * Sends the request as the public API would, and records it in the audit log, unless it only reads. The response names
 * the history entry of what was sent.
 * @throws Refusal like the request's own endpoint
 */
async function sendFromPlayground(exchange: MemberClient & Exchange, sent: PlaygroundRequest) {
	const call = PLAYGROUND_CALLS[sent.request];
	await spend(exchange, PUBLIC_CALLS[call].feature);
	const [, parameter = ''] = /:(\w+)/.exec(call) ?? [];
	const key = 'key' in sent ? sent.key : undefined;
	const { body } = sent;
	const handler = PUBLIC_HANDLERS[call] as (exchange: object) => Promise<object>;
	const response = await handler({ ...exchange, params: { [parameter]: key }, body, query: body });
	// Not the title: the audit log outlives the history, in which the content is deleted.
	const subject = key === undefined ? sent.request : `${sent.request} ${key}`;
	if (!call.startsWith('GET')) await recordDone(...exchange.acting, 'sent', subject);
	const historyId = exchange.reply.getHeader(HISTORY_HEADER);
	return { ...response, ...(historyId !== undefined && { history_id: String(historyId) }) };
}

/** @throws Refusal `invalid`, worded as the request's own endpoint would reject the body */
function readPlayground(body: unknown): PlaygroundRequest {
	const parsed = playgroundRequest.safeParse(body);
	if (parsed.success) return parsed.data as PlaygroundRequest;
	throw invalidRequest(
		toIssues(parsed.error, body).map(({ path, message }) => ({
			path: path.replace(/^body\.?/, ''),
			message,
		})),
	);
}

const refuse = refuseFor('Rate limit exceeded', 'Rate limit of this account exceeded.');

/** Uses the account's allowance. @throws TooManyRequests */
function spend({ limiter, config, signedIn }: MemberClient, feature: Feature): Promise<void> {
	return limiter.spend([accountPolicy(config, feature, signedIn.accountId)], refuse);
}

async function readUsage({ acting, limiter, config }: MemberClient): Promise<UsageResponse> {
	const [, accountId] = acting;
	const states = await limiter.peek(
		FEATURES.map((feature) => accountPolicy(config, feature, accountId)),
	);
	return {
		...(await loadUsage(...acting)),
		window_seconds: limiter.windowSeconds,
		allowances: states.map(({ policy, remaining, resetSeconds }, index) => ({
			feature: FEATURES[index] ?? policy.name,
			quota: policy.quota,
			remaining,
			reset_seconds: resetSeconds,
		})),
	};
}

const refuseCalls = refuseFor('Too many requests', 'You have too many requests in progress.');

/** The API of the console's page. It is not a public interface: page and server are built together. */
export async function registerConsoleApi(app: TypedApp, parts: HttpParts): Promise<void> {
	compressJson(app);
	const { context } = parts;
	await app.register(cookie);
	registerRoutes(app, ENTRANCE_CALLS, ENTRANCE, {
		identify: (request) => {
			refuseOtherSites(request);
			return { context };
		},
	});
	const streams = new EventStreams(app, CONSOLE_STREAMS);
	const confirm = async (request: FastifyRequest, reply: FastifyReply): Promise<MemberClient> => {
		refuseOtherSites(request);
		const signedIn = await requireSignedIn(context, request);
		const { id, name, email } = signedIn.session.member;
		const acting = { ...context, actor: { kind: 'member' as const, id, name, email } };
		return {
			...parts,
			context: acting,
			signedIn,
			acting: [acting, signedIn.accountId],
			caller: { ...toCaller(signedIn), ...historyLinks(request, reply) },
			streams,
		};
	};
	// Per member: otherwise one member's writes could hold up every account. Streams have their own limit.
	const turns = new Turns<string>({ inProgress: 4, waiting: 100 });
	registerRoutes(app, MEMBER_CALLS, SIGNED_IN, {
		identify: async (request, reply, { isStream }: Call) => {
			const client = await confirm(request, reply);
			if (!isStream)
				await turns.waitTurn(client.signedIn.memberId, reply.raw, () => refuseCalls(1));
			return client;
		},
		confirm,
		afterResponse: ({ signedIn }, request) => {
			if (changesSomething(request)) context.openPages.accountChanged(signedIn.accountId);
		},
	});
}
