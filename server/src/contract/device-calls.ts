import { z } from 'zod';
import type { Call } from './calls.ts';
import { channelParams } from './common.ts';
import {
	acknowledgeRequest,
	acknowledgeResponse,
	activityParams,
	activityTokenRequest,
	clearRequest,
	clearResponse,
	deliveryParams,
	deviceChannels,
	deviceHistory,
	deviceHistoryQuery,
	dismissalRequest,
	dismissalResponse,
	eventsQuery,
	inbox,
	inboxQuery,
	muteRequest,
	pairRequest,
	pairResponse,
	restoreRequest,
	restoreResponse,
	snoozeRequest,
	snoozeResponse,
	snapshot,
	tapRequest,
	tapResponse,
	tokensRequest,
	webPushKey,
	wholeMessage,
	preferences,
	preferencesRequest,
} from './device.ts';
import { phoneAnswerRequest, phoneAnswerResponse, questionParams } from './questions.ts';
import { quiet, quietMuteRequest, quietRequest } from './quiet.ts';

/** What anyone may call: the code is the proof. */
export const PAIRING_CALLS = {
	'POST /pair': { body: pairRequest, response: pairResponse },
} satisfies Record<string, Call>;

/** What a paired phone may call. */
export const PAIRED_CALLS = {
	'GET /events': { query: eventsQuery, response: z.unknown(), isStream: true },
	'GET /snapshot': { response: snapshot },
	'GET /inbox': { query: inboxQuery, response: inbox },
	'GET /history': { query: deviceHistoryQuery, response: deviceHistory },
	'GET /deliveries/:delivery_id/message': { params: deliveryParams, response: wholeMessage },
	'POST /acknowledge': { body: acknowledgeRequest, response: acknowledgeResponse },
	'GET /channels': { response: deviceChannels },
	'PUT /channels/:slug': { params: channelParams, body: muteRequest },
	'GET /quiet': { response: quiet },
	'PUT /quiet': { body: quietRequest, response: quiet },
	'PUT /quiet/mute': { body: quietMuteRequest, response: quiet },
	'PUT /preferences': { body: preferencesRequest, response: preferences },
	'DELETE /badge': {},
	'GET /web-push-key': { response: webPushKey },
	'PUT /tokens': { body: tokensRequest },
	'PUT /activities/:activity_id/token': { params: activityParams, body: activityTokenRequest },
	'POST /taps': { body: tapRequest, response: tapResponse },
	'POST /questions/:question_id/answer': {
		params: questionParams,
		body: phoneAnswerRequest,
		response: phoneAnswerResponse,
	},
	'POST /dismissals': { body: dismissalRequest, response: dismissalResponse },
	'POST /snoozes': { body: snoozeRequest, response: snoozeResponse },
	'POST /notifications/clear': { body: clearRequest, response: clearResponse },
	'POST /notifications/restore': { body: restoreRequest, response: restoreResponse },
	'DELETE /': {},
} satisfies Record<string, Call>;

/** The calls of a phone, below /device (docs/device-protocol.md). */
export type DeviceCalls = typeof PAIRING_CALLS & typeof PAIRED_CALLS;
