import { PAIRED_CALLS, PAIRING_CALLS } from '../../contract/device-calls.ts';
import type { Call } from '../../contract/calls.ts';
import { registerTokenOfActivity } from '../../service/activities/requests.ts';
import type { Context } from '../../service/context.ts';
import {
	clearNotifications,
	reportDismissal,
	undoClearing,
} from '../../service/phones/dismissals.ts';
import { snoozePush } from '../../service/phones/snoozes.ts';
import {
	acknowledgeDeliveries,
	readDeviceHistory,
	readMessage,
	readInbox,
	readSnapshot,
} from '../../service/phones/inbox.ts';
import {
	changePreferences,
	changeQuiet,
	clearBadge,
	listPhoneChannels,
	muteChannel,
	muteQuiet,
	readQuiet,
} from '../../service/phones/settings.ts';
import {
	disconnect,
	pair,
	type Device,
	requireDeviceByToken,
} from '../../service/phones/pairing.ts';
import { registerTokens, webPushKey } from '../../service/phones/push-tokens.ts';
import { answerOnPhone } from '../../service/questions/answer.ts';
import { reportTap } from '../../service/taps/report.ts';
import { compressJson } from '../compressed.ts';
import { bearerToken } from '../gate.ts';
import { type Limit, limited, refuseFor } from '../limits.ts';
import type { HttpParts, TypedApp } from '../typed-app.ts';
import { EventStreams } from '../sse.ts';
import { PHONE_STREAMS, PhoneEvents } from './phone-events.ts';
import { registerRoutes, type Routes } from './register.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unauthorized } from '../../service/refusal.ts';
import { Turns } from '../turns.ts';
import { inSlot, Slots } from '../../slots.ts';

/** Pairing codes are short enough to type, so guessing is slowed down. */
const PAIRINGS: Limit = {
	name: 'pairing',
	seconds: 60,
	quota: 10,
	refuse: refuseFor('Too many attempts', 'Too many pairing attempts.'),
};

const PAIRING: Routes<typeof PAIRING_CALLS, { context: Context }> = {
	'POST /pair': limited(PAIRINGS, ({ context, body }) => pair(context, body)),
};

interface PhoneClient {
	context: Context;
	/** The phone that calls. */
	device: Device;
	streams: EventStreams;
	/** Aborted when the server stops. */
	stopping: AbortSignal;
}

const PAIRED: Routes<typeof PAIRED_CALLS, PhoneClient> = {
	'GET /events': ({ context, device, query, request, reply, streams }) => {
		// A standard EventSource repeats its first URL and reports its progress since then in the header.
		const lastEventId = Number(request.headers['last-event-id']);
		const received = Number.isSafeInteger(lastEventId) ? lastEventId : 0;
		const after = Math.max(query.after ?? 0, received);
		return streams.open(reply, new PhoneEvents(context, device, after), device.id);
	},
	'GET /snapshot': ({ context, device }) => readSnapshot(context, device),
	'GET /inbox': ({ context, device, query }) => readInbox(context, device, query),
	'GET /history': ({ context, device, query }) => readDeviceHistory(context, device, query),
	'GET /deliveries/:delivery_id/message': ({ context, device, params }) =>
		readMessage(context, device, params.delivery_id),
	'POST /acknowledge': async ({ context, device, body }) => ({
		acknowledged: await acknowledgeDeliveries(context, device, body.deliveries),
	}),

	'GET /channels': ({ context, device }) => listPhoneChannels(context, device),
	'PUT /channels/:slug': ({ context, device, params, body }) =>
		muteChannel(context, device, params.slug, body.muted),
	'GET /quiet': ({ context, device }) => readQuiet(context, device),
	'PUT /quiet': ({ context, device, body }) => changeQuiet(context, device, body),
	'PUT /quiet/mute': ({ context, device, body }) => muteQuiet(context, device, body),
	'PUT /preferences': ({ context, device, body }) => changePreferences(context, device, body),

	'DELETE /badge': ({ context, device }) => clearBadge(context, device),
	'GET /web-push-key': ({ context, device }) => webPushKey(context, device),
	'PUT /tokens': ({ context, device, body }) => registerTokens(context, device, body),
	'PUT /activities/:activity_id/token': ({ context, device, params, body }) =>
		registerTokenOfActivity(context, device, params.activity_id, body.token),
	'POST /taps': ({ context, device, body, stopping }) => reportTap(context, device, body, stopping),
	'POST /questions/:question_id/answer': ({ context, device, params, body }) =>
		answerOnPhone(context, device, params.question_id, body),
	'POST /dismissals': ({ context, device, body }) => reportDismissal(context, device, body),
	'POST /snoozes': ({ context, device, body }) => snoozePush(context, device, body),
	'POST /notifications/clear': ({ context, device, body }) =>
		clearNotifications(context, device, body),
	'POST /notifications/restore': ({ context, device, body }) =>
		undoClearing(context, device, body.undo),
	'DELETE /': ({ context, device }) => disconnect(context, device),
};

const ACKNOWLEDGE = PAIRED_CALLS['POST /acknowledge'];

/**
 * Thousands of open pages acknowledge the same push at once, and nobody waits for that: at most eight are processed at a
 * time, and two begin in each turn of the event loop, which leaves room for all other requests.
 */
const acknowledging = new Slots<() => void>(8, 2);

/** The API phones call (docs/device-protocol.md). */
export function registerDeviceApi(app: TypedApp, parts: HttpParts): void {
	const { context } = parts;
	compressJson(app);
	registerRoutes(app, PAIRING_CALLS, PAIRING, { identify: () => ({ context }) });
	const streams = new EventStreams(app, PHONE_STREAMS);
	const stopping = new AbortController();
	app.addHook('preClose', (done) => {
		stopping.abort();
		done();
	});
	const findPhone = phoneFinder(parts);
	const others = { context, streams, stopping: stopping.signal };
	registerRoutes(app, PAIRED_CALLS, PAIRED, {
		identify: async (request, reply, call: Call) => {
			const find = () => findPhone(request, reply, call.isStream);
			const device = await (call === ACKNOWLEDGE ? inSlot(acknowledging, find) : find());
			return { ...others, device };
		},
		confirm: async ({ headers }) => ({
			...others,
			device: await requireDeviceByToken(context, bearerToken(headers.authorization) ?? ''),
		}),
		afterResponse: ({ device }, { method }) => {
			if (method !== 'GET') context.openPages.accountChanged(device.account_id, 'traffic');
		},
	});
}

/** Streams one phone can open per window: reconnecting as docs/device-protocol.md says needs fewer. */
const STREAMS_PER_WINDOW = 60;

/** Concurrent requests of one phone. */
const MAX_IN_PROGRESS = 10;

const refuse = refuseFor('Too many requests', 'This phone sends too many requests.');

/**
 * Finds the paired phone that calls, within its rate limit. Its concurrent calls are bounded, so a busy phone delays
 * only itself; event streams have their own bound.
 */
function phoneFinder({ context, limiter, config }: HttpParts) {
	const calls = new Turns<string>({ inProgress: MAX_IN_PROGRESS, waiting: 0 });
	return async (request: FastifyRequest, reply: FastifyReply, isStream = false) => {
		// An acknowledgement may have waited: if the store hangs, thousands must not each wait for it once more.
		if (reply.raw.closed) throw refuse(1);
		const token = bearerToken(request.headers.authorization);
		if (token === undefined)
			throw unauthorized(
				'Unauthorized',
				'Send the token that pairing returned as Authorization: Bearer <token>.',
			);
		const device = await requireDeviceByToken(context, token);
		const policies = [{ name: 'device', subject: device.id, quota: config.BECKON_RATE_PER_DEVICE }];
		if (isStream)
			policies.push({ name: 'device-streams', subject: device.id, quota: STREAMS_PER_WINDOW });
		await limiter.spend(policies, refuse);
		if (!isStream) await calls.waitTurn(device.id, reply.raw, () => refuse(1));
		return device;
	};
}
