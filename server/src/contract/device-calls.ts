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
	'POST /pair': { body: pairRequest, answer: pairResponse },
} satisfies Record<string, Call>;

/** What a paired phone may call. */
export const PAIRED_CALLS = {
	'GET /events': { query: eventsQuery, answer: z.unknown(), isStream: true },
	'GET /snapshot': { answer: snapshot },
	'GET /inbox': { query: inboxQuery, answer: inbox },
	'GET /history': { query: deviceHistoryQuery, answer: deviceHistory },
	'GET /deliveries/:delivery_id/message': { params: deliveryParams, answer: wholeMessage },
	'POST /acknowledge': { body: acknowledgeRequest, answer: acknowledgeResponse },
	'GET /channels': { answer: deviceChannels },
	'PUT /channels/:slug': { params: channelParams, body: muteRequest },
	'GET /quiet': { answer: quiet },
	'PUT /quiet': { body: quietRequest, answer: quiet },
	'PUT /quiet/mute': { body: quietMuteRequest, answer: quiet },
	'PUT /preferences': { body: preferencesRequest, answer: preferences },
	'DELETE /badge': {},
	'GET /web-push-key': { answer: webPushKey },
	'PUT /tokens': { body: tokensRequest },
	'PUT /activities/:activity_id/token': { params: activityParams, body: activityTokenRequest },
	'POST /taps': { body: tapRequest, answer: tapResponse },
	'POST /questions/:question_id/answer': {
		params: questionParams,
		body: phoneAnswerRequest,
		answer: phoneAnswerResponse,
	},
	'POST /dismissals': { body: dismissalRequest, answer: dismissalResponse },
	'POST /snoozes': { body: snoozeRequest, answer: snoozeResponse },
	'POST /notifications/clear': { body: clearRequest, answer: clearResponse },
	'POST /notifications/restore': { body: restoreRequest, answer: restoreResponse },
	'DELETE /': {},
} satisfies Record<string, Call>;

/** The calls of a phone, below /device (docs/device-protocol.md). */
export type DeviceCalls = typeof PAIRING_CALLS & typeof PAIRED_CALLS;
