import { channelParams } from '../../contract/common.ts';
import {
	acknowledgeRequest,
	activityParams,
	activityTokenRequest,
	clearRequest,
	deviceHistoryQuery,
	dismissalRequest,
	inboxQuery,
	muteRequest,
	pairRequest,
	restoreRequest,
	tapRequest,
	tokensRequest,
} from '../../contract/device.ts';
import { preferencesRequest } from '../../contract/preferences.ts';
import { quietMuteRequest, quietRequest } from '../../contract/quiet.ts';
import { registerTokenOfActivity } from '../../service/activities/tokens.ts';
import type { Context } from '../../service/context.ts';
import {
	clearNotifications,
	reportDismissal,
	undoClearing,
} from '../../service/phones/dismissals.ts';
import {
	changePreferences,
	listPhoneChannels,
	muteChannel,
} from '../../service/phones/preferences.ts';
import { changeQuiet, muteQuiet, readQuiet } from '../../service/phones/quiet-settings.ts';
import {
	acknowledgeDeliveries,
	readDeviceHistory,
	readInbox,
	readSnapshot,
} from '../../service/phones/inbox.ts';
import { disconnect, pair } from '../../service/phones/pairing.ts';
import { registerTokens, webPushKey } from '../../service/phones/push-tokens.ts';
import { TooManyRequests } from '../../service/refusal.ts';
import { reportTap } from '../../service/taps/report.ts';
import { toSuccess } from '../success.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import type { HttpParts } from '../parts.ts';
import { addressSubject, RateLimiter, retryAfterSeconds } from '../rate-limit.ts';
import { authenticateDevice, requireDevice } from './authentication.ts';
import { registerEvents } from './events.ts';

/** Pairing codes are short enough to type, so guessing is slowed down. */
const PAIRINGS_PER_MINUTE = 10;

/** The API phones call (docs/device-protocol.md). */
export async function registerDeviceApi(app: TypedApp, parts: HttpParts): Promise<void> {
	const { context } = parts;
	app.addHook('onRequest', (_request, reply, done) => {
		reply.header('cache-control', 'no-store');
		done();
	});
	registerPairing(app, context);
	await app.register(
		plugin('paired', (paired) => {
			authenticateDevice(paired, parts);
			registerEvents(paired, context);
			registerInbox(paired, context);
			registerChannels(paired, context);
			registerQuiet(paired, context);
			registerPreferences(paired, context);
			registerReports(paired, context);
		}),
	);
}

function registerPairing(app: TypedApp, context: Context): void {
	const limiter = new RateLimiter(60, context.database.rateWindows, context.now);
	app.post('/pair', { schema: { body: pairRequest } }, async (request) => {
		const { allowed, states } = await limiter.consume([
			{ name: 'pairing', subject: addressSubject(request.ip), quota: PAIRINGS_PER_MINUTE },
		]);
		if (!allowed) {
			const seconds = retryAfterSeconds(states);
			throw new TooManyRequests(
				'Too many attempts',
				`Too many pairing attempts. Try again in ${seconds} s.`,
				seconds,
			);
		}
		return pair(context, request.body);
	});
}

function registerInbox(app: TypedApp, context: Context): void {
	app.get('/snapshot', (request) => readSnapshot(context, requireDevice(request)));
	app.get('/inbox', { schema: { querystring: inboxQuery } }, (request) =>
		readInbox(context, requireDevice(request), request.query),
	);
	app.get('/history', { schema: { querystring: deviceHistoryQuery } }, (request) =>
		readDeviceHistory(context, requireDevice(request), request.query),
	);
	app.post('/acknowledge', { schema: { body: acknowledgeRequest } }, async (request) => ({
		acknowledged: await acknowledgeDeliveries(
			context,
			requireDevice(request),
			request.body.deliveries,
		),
	}));
}

function registerChannels(app: TypedApp, context: Context): void {
	app.get('/channels', (request) => listPhoneChannels(context, requireDevice(request)));
	app.put('/channels/:slug', { schema: { params: channelParams, body: muteRequest } }, (request) =>
		muteChannel(context, requireDevice(request), request.params.slug, request.body.muted).then(
			toSuccess,
		),
	);
}

function registerQuiet(app: TypedApp, context: Context): void {
	app.get('/quiet', (request) => readQuiet(context, requireDevice(request)));
	app.put('/quiet', { schema: { body: quietRequest } }, (request) =>
		changeQuiet(context, requireDevice(request), request.body),
	);
	app.put('/quiet/mute', { schema: { body: quietMuteRequest } }, (request) =>
		muteQuiet(context, requireDevice(request), request.body),
	);
}

function registerPreferences(app: TypedApp, context: Context): void {
	app.put('/preferences', { schema: { body: preferencesRequest } }, (request) =>
		changePreferences(context, requireDevice(request), request.body),
	);
}

function registerReports(app: TypedApp, context: Context): void {
	app.get('/web-push-key', () => webPushKey(context));
	app.put('/tokens', { schema: { body: tokensRequest } }, (request) =>
		registerTokens(context, requireDevice(request), request.body).then(toSuccess),
	);
	app.put(
		'/activities/:activity_id/token',
		{ schema: { params: activityParams, body: activityTokenRequest } },
		(request) =>
			registerTokenOfActivity(
				context,
				requireDevice(request),
				request.params.activity_id,
				request.body.token,
			).then(toSuccess),
	);
	const stopping = new AbortController();
	app.addHook('preClose', (done) => {
		stopping.abort();
		done();
	});
	app.post('/taps', { schema: { body: tapRequest } }, (request) =>
		reportTap(context, requireDevice(request), request.body, stopping.signal),
	);
	app.post('/dismissals', { schema: { body: dismissalRequest } }, (request) =>
		reportDismissal(context, requireDevice(request), request.body).then(toSuccess),
	);
	app.post('/notifications/clear', { schema: { body: clearRequest } }, (request) =>
		clearNotifications(context, requireDevice(request), request.body),
	);
	app.post('/notifications/restore', { schema: { body: restoreRequest } }, (request) =>
		undoClearing(context, requireDevice(request), request.body.undo),
	);
	app.delete('/', (request) => disconnect(context, requireDevice(request)).then(toSuccess));
}
