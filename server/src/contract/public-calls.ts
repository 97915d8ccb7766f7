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
	channelList,
	metricList,
	peopleList,
	phoneList,
	streamList,
	triggerList,
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
	response: z.ZodType;
	/** Responses by status, besides 200. */
	errors: Record<number, z.ZodType>;
}

/** Responses any call can get, by status. */
const commonErrors = {
	400: badRequestError,
	401: unauthorizedError,
	413: requestError,
	415: requestError,
	429: rateLimitError,
	500: requestError,
	503: unavailableError,
};

/** Responses to calls that change something which must exist. */
const changingErrors = { ...commonErrors, 403: forbiddenError, 404: notFoundError };

/** Responses to calls that send to an audience. */
const sendingErrors = {
	...commonErrors,
	402: billingBlockedError,
	403: forbiddenError,
	422: noRecipientsError,
};

/** Responses to pushes, which may have an idempotency key. */
const pushErrors = { ...sendingErrors, 422: z.union([noRecipientsError, keyReusedError]) };

/** Responses to calls that start an activity: 429 is request rate or device capacity. */
const startingErrors = { ...sendingErrors, 429: z.union([rateLimitError, liveActivityLimitError]) };

type Part = Partial<PublicCall>;

const PUSH = {
	feature: 'notifications',
	tags: ['Push notifications'],
	headers: plainPushHeaders,
	hasMessage: true,
	errors: pushErrors,
} satisfies Part;

const QUESTION = { feature: 'questions', tags: ['Questions'] } satisfies Part;

const TRIGGER = { feature: 'triggers', tags: ['Triggers'], params: triggerParams } satisfies Part;

const ACTIVITY = { feature: 'live-activities', tags: ['Live Activities (manual)'] } satisfies Part;

const STREAM = { ...ACTIVITY, tags: ['Live Activity streams'], params: streamParams };

const LIST = { feature: 'lists', tags: ['Lists'], errors: commonErrors } satisfies Part;

/** The published endpoints, and Beckon's additions; an API key may call all of them. */
export const PUBLIC_CALLS = {
	'POST /push-notification': {
		...PUSH,
		operationId: 'sendPushNotification',
		summary: 'Send a push notification',
		body: pushRequest,
		response: pushResponse,
	},
	'POST /push-notification/repeated': {
		...PUSH,
		operationId: 'sendRepeatedPushNotification',
		summary: 'Send a push notification again until somebody reacts',
		body: repeatedPushRequest,
		response: repeatedPushResponse,
	},
	'DELETE /push-notification/repeated/:repeat_id': {
		feature: 'notifications',
		operationId: 'stopRepeatedPushNotification',
		summary: 'Stop a repeated push notification',
		tags: ['Push notifications'],
		params: repeatParams,
		body: repeatStopRequest.nullable(),
		response: repeatStopResponse,
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
		response: askedResponse,
		errors: pushErrors,
	},
	'GET /questions': {
		...QUESTION,
		operationId: 'listQuestions',
		summary: 'List the open questions of the key',
		query: questionsQuery,
		response: questionsResponse,
		errors: commonErrors,
	},
	'GET /questions/:question_id': {
		...QUESTION,
		operationId: 'getQuestion',
		summary: 'Get the state of a question, or wait for its answer',
		params: questionParams,
		query: questionQuery,
		response: questionResponse,
		errors: { ...commonErrors, 404: notFoundError },
	},
	'POST /questions/:question_id/answer': {
		...QUESTION,
		operationId: 'answerQuestion',
		summary: 'Report what was entered in the form of a question',
		params: questionParams,
		body: formAnswerRequest,
		response: questionResponse,
		errors: { ...changingErrors, 409: requestError },
	},
	'DELETE /questions/:question_id': {
		...QUESTION,
		operationId: 'withdrawQuestion',
		summary: 'Withdraw a question',
		params: questionParams,
		body: withdrawRequest.nullable(),
		response: questionResponse,
		errors: changingErrors,
	},
	// Workflows that buttons start, which wait for taps without an address of their own.
	'PUT /triggers/:trigger_id': {
		...TRIGGER,
		operationId: 'registerTrigger',
		summary: 'Begin to listen for taps',
		body: triggerRequest,
		response: triggerResponse,
		errors: changingErrors,
	},
	'GET /triggers/:trigger_id/taps': {
		...TRIGGER,
		operationId: 'getTriggerTaps',
		summary: 'Get the taps that are not done, or wait for one',
		query: triggerTapsQuery,
		response: triggerTapsResponse,
		errors: { ...commonErrors, 404: notFoundError, 409: requestError },
	},
	'POST /triggers/:trigger_id/done': {
		...TRIGGER,
		operationId: 'finishTriggerTaps',
		summary: 'Report taps as done',
		body: tapsDoneRequest,
		response: tapsDoneResponse,
		errors: { ...commonErrors, 404: notFoundError },
	},
	'POST /badge': {
		feature: 'badges',
		operationId: 'updateAppIconBadgeCount',
		summary: 'Set or clear the app icon badge',
		tags: ['App icon badge'],
		body: badgeRequest,
		response: badgeResponse,
		errors: {
			...commonErrors,
			403: forbiddenError,
			422: z.union([badgeUpdateError, noRecipientsError]),
			502: badgeUpdateError,
		},
	},
	'PUT /live-activity/stream/:stream_key': {
		...STREAM,
		operationId: 'reconcileLiveActivityStream',
		summary: 'Start or update a Live Activity by its stream key',
		body: streamPutRequest,
		response: streamPutResponse,
		errors: startingErrors,
	},
	'DELETE /live-activity/stream/:stream_key': {
		...STREAM,
		operationId: 'endLiveActivityStream',
		summary: 'End a Live Activity by its stream key',
		body: streamDeleteRequest.nullable(),
		response: streamDeleteResponse,
		errors: changingErrors,
	},
	'POST /live-activity/start': {
		...ACTIVITY,
		operationId: 'startLiveActivity',
		summary: 'Start a Live Activity',
		body: startRequest,
		response: startResponse,
		errors: startingErrors,
	},
	'POST /live-activity/update': {
		...ACTIVITY,
		operationId: 'updateLiveActivity',
		summary: 'Update a Live Activity',
		body: updateRequest,
		response: changeResponse,
		errors: changingErrors,
	},
	'POST /live-activity/end': {
		...ACTIVITY,
		operationId: 'endLiveActivity',
		summary: 'End a Live Activity',
		body: endRequest,
		response: changeResponse,
		errors: changingErrors,
	},
	'POST /metrics/:key/value': {
		feature: 'metrics',
		operationId: 'updateMetricValue',
		summary: 'Set the latest value of a metric',
		tags: ['Metrics'],
		params: metricParams,
		body: metricValueRequest,
		response: metricValueResponse,
		errors: { ...commonErrors, 400: metricError, 404: metricError },
	},

	// Beckon's additions: the choices an editor offers, with an allowance separate from that of sending.
	'GET /channels': {
		...LIST,
		...channelList,
		operationId: 'listChannels',
		summary: 'List the channels that the key may name',
	},
	'GET /phones': {
		...LIST,
		...phoneList,
		operationId: 'listPhones',
		summary: 'List the phones that the key may name',
	},
	'GET /people': {
		...LIST,
		...peopleList,
		operationId: 'listPeople',
		summary: 'List the people who may answer questions',
		errors: { ...commonErrors, 403: forbiddenError },
	},
	'GET /metrics': {
		...LIST,
		...metricList,
		operationId: 'listMetrics',
		summary: 'List the metrics of the account',
	},
	'GET /live-activity/streams': {
		...LIST,
		...streamList,
		operationId: 'listLiveActivityStreams',
		summary: 'List the Live Activities that the key may update',
	},
	'GET /triggers': {
		...LIST,
		...triggerList,
		operationId: 'listTriggers',
		summary: 'List the triggers that the key may name',
	},
	// And a place for a picture that a workflow has only as bytes.
	'POST /images': {
		feature: 'images',
		operationId: 'storeImage',
		summary: 'Store a picture for the media of a push',
		tags: ['Push notifications'],
		takesPicture: true,
		response: imageResponse,
		errors: { ...commonErrors, 409: requestError },
	},
} satisfies Record<string, PublicCall>;
