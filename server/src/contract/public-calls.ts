import { z } from 'zod';
import { badgeRequest, badgeResponse } from './badge.ts';
import type { Call } from './calls.ts';
import {
	badgeUpdateError,
	badRequestError,
	billingBlockedError,
	forbiddenError,
	keyReusedError,
	liveActivityLimitError,
	metricError,
	noRecipientsError,
	notFoundError,
	rateLimitError,
	requestError,
	unauthorizedError,
	unavailableError,
} from './errors.ts';
import { plainPushHeaders, pushHeaders } from './push-headers.ts';
import { imageResponse } from './images.ts';
import {
	channelsQuery,
	channelsResponse,
	metricsQuery,
	metricsResponse,
	peopleQuery,
	peopleResponse,
	phonesQuery,
	phonesResponse,
	streamsQuery,
	streamsResponse,
	triggersQuery,
	triggersResponse,
} from './lists.ts';
import {
	changeResponse,
	endRequest,
	startRequest,
	startResponse,
	streamDeleteRequest,
	streamDeleteResponse,
	streamParams,
	streamPutRequest,
	streamPutResponse,
	updateRequest,
} from './live-activities.ts';
import { metricParams, metricValueRequest, metricValueResponse } from './metrics.ts';
import { pushRequest, pushResponse } from './push.ts';
import {
	askedResponse,
	formAnswerRequest,
	questionParams,
	questionQuery,
	questionRequest,
	questionResponse,
	questionsQuery,
	questionsResponse,
	withdrawRequest,
} from './questions.ts';
import {
	repeatedPushRequest,
	repeatedPushResponse,
	repeatParams,
	repeatStopRequest,
	repeatStopResponse,
} from './repeats.ts';
import {
	tapsDoneRequest,
	tapsDoneResponse,
	triggerParams,
	triggerRequest,
	triggerResponse,
	triggerTapsQuery,
	triggerTapsResponse,
} from './triggers.ts';
import type { Feature } from './values.ts';

/** A call of the public API, with the words for the OpenAPI document. */
export interface PublicCall extends Call {
	/** The allowance that it uses. */
	feature: Feature;
	operationId: string;
	summary: string;
	tags: string[];
	answer: z.ZodType;
	/** Answers by status, besides 200. */
	errors: Record<number, z.ZodType>;
}

/** Answers any call can get, by status. */
const commonErrors = {
	400: badRequestError,
	401: unauthorizedError,
	413: requestError,
	415: requestError,
	429: rateLimitError,
	500: requestError,
	503: unavailableError,
};

/** Answers to the calls that change something which must exist. */
const changingErrors = { ...commonErrors, 403: forbiddenError, 404: notFoundError };

/** Answers to the calls that send to an audience. */
const sendingErrors = {
	...commonErrors,
	402: billingBlockedError,
	403: forbiddenError,
	422: noRecipientsError,
};

/** Answers to pushes, which may have an idempotency key. */
const pushErrors = { ...sendingErrors, 422: z.union([noRecipientsError, keyReusedError]) };

/** Answers to the calls that start an activity: 429 is request rate or device capacity. */
const startingErrors = { ...sendingErrors, 429: z.union([rateLimitError, liveActivityLimitError]) };

/** The published endpoints, and Beckon's additions; an API key may call all of them. */
export const PUBLIC_CALLS = {
	'POST /push-notification': {
		feature: 'notifications',
		operationId: 'sendPushNotification',
		summary: 'Send a push notification',
		tags: ['Push notifications'],
		headers: plainPushHeaders,
		body: pushRequest,
		hasMessage: true,
		answer: pushResponse,
		errors: pushErrors,
	},
	'POST /push-notification/repeated': {
		feature: 'notifications',
		operationId: 'sendRepeatedPushNotification',
		summary: 'Send a push notification again until somebody reacts',
		tags: ['Push notifications'],
		headers: plainPushHeaders,
		body: repeatedPushRequest,
		hasMessage: true,
		answer: repeatedPushResponse,
		errors: pushErrors,
	},
	'DELETE /push-notification/repeated/:repeat_id': {
		feature: 'notifications',
		operationId: 'stopRepeatedPushNotification',
		summary: 'Stop a repeated push notification',
		tags: ['Push notifications'],
		params: repeatParams,
		body: repeatStopRequest.nullable(),
		answer: repeatStopResponse,
		errors: changingErrors,
	},
	// Beckon's additions: questions, each with one answer.
	'POST /questions': {
		feature: 'notifications',
		operationId: 'askQuestion',
		summary: 'Ask a question',
		tags: ['Questions'],
		headers: pushHeaders,
		body: questionRequest,
		hasMessage: true,
		answer: askedResponse,
		errors: pushErrors,
	},
	'GET /questions': {
		feature: 'questions',
		operationId: 'listQuestions',
		summary: 'List the open questions of the key',
		tags: ['Questions'],
		query: questionsQuery,
		answer: questionsResponse,
		errors: commonErrors,
	},
	'GET /questions/:question_id': {
		feature: 'questions',
		operationId: 'getQuestion',
		summary: 'Get the state of a question, or wait for its answer',
		tags: ['Questions'],
		params: questionParams,
		query: questionQuery,
		answer: questionResponse,
		errors: { ...commonErrors, 404: notFoundError },
	},
	'POST /questions/:question_id/answer': {
		feature: 'questions',
		operationId: 'answerQuestion',
		summary: 'Report what was entered in the form of a question',
		tags: ['Questions'],
		params: questionParams,
		body: formAnswerRequest,
		answer: questionResponse,
		errors: { ...changingErrors, 409: requestError },
	},
	'DELETE /questions/:question_id': {
		feature: 'questions',
		operationId: 'withdrawQuestion',
		summary: 'Withdraw a question',
		tags: ['Questions'],
		params: questionParams,
		body: withdrawRequest.nullable(),
		answer: questionResponse,
		errors: changingErrors,
	},
	// Workflows that buttons start, which wait for taps without an address of their own.
	'PUT /triggers/:trigger_id': {
		feature: 'triggers',
		operationId: 'registerTrigger',
		summary: 'Begin to listen for taps',
		tags: ['Triggers'],
		params: triggerParams,
		body: triggerRequest,
		answer: triggerResponse,
		errors: changingErrors,
	},
	'GET /triggers/:trigger_id/taps': {
		feature: 'triggers',
		operationId: 'getTriggerTaps',
		summary: 'Get the taps that are not done, or wait for one',
		tags: ['Triggers'],
		params: triggerParams,
		query: triggerTapsQuery,
		answer: triggerTapsResponse,
		errors: { ...commonErrors, 404: notFoundError, 409: requestError },
	},
	'POST /triggers/:trigger_id/done': {
		feature: 'triggers',
		operationId: 'finishTriggerTaps',
		summary: 'Report taps as done',
		tags: ['Triggers'],
		params: triggerParams,
		body: tapsDoneRequest,
		answer: tapsDoneResponse,
		errors: { ...commonErrors, 404: notFoundError },
	},
	'POST /badge': {
		feature: 'badges',
		operationId: 'updateAppIconBadgeCount',
		summary: 'Set or clear the app icon badge',
		tags: ['App icon badge'],
		body: badgeRequest,
		answer: badgeResponse,
		errors: {
			...commonErrors,
			403: forbiddenError,
			422: z.union([badgeUpdateError, noRecipientsError]),
			502: badgeUpdateError,
		},
	},
	'PUT /live-activity/stream/:stream_key': {
		feature: 'live-activities',
		operationId: 'reconcileLiveActivityStream',
		summary: 'Start or update a Live Activity by its stream key',
		tags: ['Live Activity streams'],
		params: streamParams,
		body: streamPutRequest,
		answer: streamPutResponse,
		errors: startingErrors,
	},
	'DELETE /live-activity/stream/:stream_key': {
		feature: 'live-activities',
		operationId: 'endLiveActivityStream',
		summary: 'End a Live Activity by its stream key',
		tags: ['Live Activity streams'],
		params: streamParams,
		body: streamDeleteRequest.nullable(),
		answer: streamDeleteResponse,
		errors: changingErrors,
	},
	'POST /live-activity/start': {
		feature: 'live-activities',
		operationId: 'startLiveActivity',
		summary: 'Start a Live Activity',
		tags: ['Live Activities (manual)'],
		body: startRequest,
		answer: startResponse,
		errors: startingErrors,
	},
	'POST /live-activity/update': {
		feature: 'live-activities',
		operationId: 'updateLiveActivity',
		summary: 'Update a Live Activity',
		tags: ['Live Activities (manual)'],
		body: updateRequest,
		answer: changeResponse,
		errors: changingErrors,
	},
	'POST /live-activity/end': {
		feature: 'live-activities',
		operationId: 'endLiveActivity',
		summary: 'End a Live Activity',
		tags: ['Live Activities (manual)'],
		body: endRequest,
		answer: changeResponse,
		errors: changingErrors,
	},
	'POST /metrics/:key/value': {
		feature: 'metrics',
		operationId: 'updateMetricValue',
		summary: 'Set the latest value of a metric',
		tags: ['Metrics'],
		params: metricParams,
		body: metricValueRequest,
		answer: metricValueResponse,
		errors: { ...commonErrors, 400: metricError, 404: metricError },
	},

	// Beckon's additions: the choices an editor offers, with an allowance separate from that of sending.
	'GET /channels': {
		feature: 'lists',
		operationId: 'listChannels',
		summary: 'List the channels that the key may name',
		tags: ['Lists'],
		query: channelsQuery,
		answer: channelsResponse,
		errors: commonErrors,
	},
	'GET /phones': {
		feature: 'lists',
		operationId: 'listPhones',
		summary: 'List the phones that the key may name',
		tags: ['Lists'],
		query: phonesQuery,
		answer: phonesResponse,
		errors: commonErrors,
	},
	'GET /people': {
		feature: 'lists',
		operationId: 'listPeople',
		summary: 'List the people who may answer questions',
		tags: ['Lists'],
		query: peopleQuery,
		answer: peopleResponse,
		errors: { ...commonErrors, 403: forbiddenError },
	},
	'GET /metrics': {
		feature: 'lists',
		operationId: 'listMetrics',
		summary: 'List the metrics of the account',
		tags: ['Lists'],
		query: metricsQuery,
		answer: metricsResponse,
		errors: commonErrors,
	},
	'GET /live-activity/streams': {
		feature: 'lists',
		operationId: 'listLiveActivityStreams',
		summary: 'List the Live Activities that the key may update',
		tags: ['Lists'],
		query: streamsQuery,
		answer: streamsResponse,
		errors: commonErrors,
	},
	'GET /triggers': {
		feature: 'lists',
		operationId: 'listTriggers',
		summary: 'List the triggers that the key may name',
		tags: ['Lists'],
		query: triggersQuery,
		answer: triggersResponse,
		errors: commonErrors,
	},
	// And a place for a picture that a workflow has only as bytes.
	'POST /images': {
		feature: 'images',
		operationId: 'storeImage',
		summary: 'Store a picture for the media of a push',
		tags: ['Push notifications'],
		takesPicture: true,
		answer: imageResponse,
		errors: { ...commonErrors, 409: requestError },
	},
} satisfies Record<string, PublicCall>;
