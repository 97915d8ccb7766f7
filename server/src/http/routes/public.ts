import cors from '@fastify/cors';
import { z } from 'zod';
import { badgeRequest, badgeResponse } from '../../contract/badge.ts';
import {
	badgeUpdateError,
	badRequestError,
	billingBlockedError,
	forbiddenError,
	liveActivityLimitError,
	metricError,
	noRecipientsError,
	notFoundError,
	rateLimitError,
	requestError,
	unauthorizedError,
} from '../../contract/errors.ts';
import { imageResponse } from '../../contract/images.ts';
import {
	channelsQuery,
	channelsResponse,
	metricsQuery,
	metricsResponse,
	phonesQuery,
	phonesResponse,
	streamsQuery,
	streamsResponse,
} from '../../contract/lists.ts';
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
} from '../../contract/live-activities.ts';
import { metricParams, metricValueRequest, metricValueResponse } from '../../contract/metrics.ts';
import { pushRequest, pushResponse } from '../../contract/push.ts';
import {
	repeatedPushRequest,
	repeatedPushResponse,
	repeatParams,
	repeatStopRequest,
	repeatStopResponse,
} from '../../contract/repeats.ts';
import { end, start, update } from '../../service/activities/requests.ts';
import type { Caller, Context } from '../../service/context.ts';
import { storeImage } from '../../service/images.ts';
import { listChannels, listMetrics, listPhones, listStreams } from '../../service/lists.ts';
import { setMetric } from '../../service/metrics.ts';
import { updateBadge } from '../../service/sending/badges.ts';
import { sendPush, sendRepeatedPush } from '../../service/sending/pushes.ts';
import { stopRepeat } from '../../service/sending/repeats.ts';
import { deleteStreamByKey, putStream } from '../../service/streams/requests.ts';
import { bearerToken, Gate, requireCaller } from '../gate.ts';
import { type Feature, FEATURES, type HttpParts } from '../limits.ts';
import { registerOpenApi } from '../openapi/openapi.ts';
import { pictureIn } from '../picture-bodies.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import { type Description, type Exchange, registerRoutes } from './register.ts';

/** Answers any route can give, by status. */
const commonErrors = {
	400: badRequestError,
	401: unauthorizedError,
	413: requestError,
	415: requestError,
	429: rateLimitError,
	500: requestError,
	503: requestError,
};

/** Answers of the routes that change something which must exist. */
const changingErrors = { ...commonErrors, 403: forbiddenError, 404: notFoundError };

/** Answers of the routes that send to an audience. */
const sendingErrors = {
	...commonErrors,
	402: billingBlockedError,
	403: forbiddenError,
	422: noRecipientsError,
};

/** Answers of the routes that start an activity: 429 is request rate or device capacity. */
const startingErrors = { ...sendingErrors, 429: z.union([rateLimitError, liveActivityLimitError]) };

/** A handler's input; `caller` is who has sent an API key. */
interface ApiExchange<P, Q, B> extends Exchange {
	context: Context;
	caller: Caller;
	params: P;
	query: Q;
	body: B;
}

interface ApiRoute<P, Q, B, A> extends Required<Description> {
	/** The allowance that it uses. */
	feature: Feature;
	takesPicture?: true;
	params?: z.ZodType<P>;
	query?: z.ZodType<Q>;
	body?: z.ZodType<B>;
	answer: z.ZodType<A>;
	handler: (exchange: ApiExchange<P, Q, B>) => Promise<A>;
}

/** Gives the handler the types of the schemas beside it. */
function route<P, Q, B, A>(described: ApiRoute<P, Q, B, A>): ApiRoute<P, Q, B, A> {
	return described;
}

/** The published endpoints, and Beckon's additions; an API key may call all of them. */
const ROUTES = {
	'POST /push-notification': route({
		feature: 'notifications',
		operationId: 'sendPushNotification',
		summary: 'Send a push notification',
		tags: ['Push notifications'],
		body: pushRequest,
		answer: pushResponse,
		errors: sendingErrors,
		handler: ({ context, caller, body }) => sendPush(context, caller, body),
	}),
	'POST /push-notification/repeated': route({
		feature: 'notifications',
		operationId: 'sendRepeatedPushNotification',
		summary: 'Send a push notification again until somebody reacts',
		tags: ['Push notifications'],
		body: repeatedPushRequest,
		answer: repeatedPushResponse,
		errors: sendingErrors,
		handler: ({ context, caller, body }) => sendRepeatedPush(context, caller, body),
	}),
	'DELETE /push-notification/repeated/:repeat_id': route({
		feature: 'notifications',
		operationId: 'stopRepeatedPushNotification',
		summary: 'Stop a repeated push notification',
		tags: ['Push notifications'],
		params: repeatParams,
		body: repeatStopRequest.nullable(),
		answer: repeatStopResponse,
		errors: changingErrors,
		handler: ({ context, caller, params }) => stopRepeat(context, caller, params.repeat_id),
	}),
	'POST /badge': route({
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
		handler: ({ context, caller, body }) => updateBadge(context, caller, body),
	}),
	'PUT /live-activity/stream/:stream_key': route({
		feature: 'live-activities',
		operationId: 'reconcileLiveActivityStream',
		summary: 'Start or update the Live Activity of a stream',
		tags: ['Live Activity streams'],
		params: streamParams,
		body: streamPutRequest,
		answer: streamPutResponse,
		errors: startingErrors,
		handler: ({ context, caller, params, body }) =>
			putStream(context, caller, params.stream_key, body),
	}),
	'DELETE /live-activity/stream/:stream_key': route({
		feature: 'live-activities',
		operationId: 'endLiveActivityStream',
		summary: 'End a stream and its Live Activity',
		tags: ['Live Activity streams'],
		params: streamParams,
		body: streamDeleteRequest.nullable(),
		answer: streamDeleteResponse,
		errors: changingErrors,
		handler: ({ context, caller, params, body }) =>
			deleteStreamByKey(context, caller, params.stream_key, body ?? {}),
	}),
	'POST /live-activity/start': route({
		feature: 'live-activities',
		operationId: 'startLiveActivity',
		summary: 'Start a Live Activity',
		tags: ['Live Activities (manual)'],
		body: startRequest,
		answer: startResponse,
		errors: startingErrors,
		handler: ({ context, caller, body }) => start(context, caller, body),
	}),
	'POST /live-activity/update': route({
		feature: 'live-activities',
		operationId: 'updateLiveActivity',
		summary: 'Update a Live Activity',
		tags: ['Live Activities (manual)'],
		body: updateRequest,
		answer: changeResponse,
		errors: changingErrors,
		handler: ({ context, caller, body }) => update(context, caller, body),
	}),
	'POST /live-activity/end': route({
		feature: 'live-activities',
		operationId: 'endLiveActivity',
		summary: 'End a Live Activity',
		tags: ['Live Activities (manual)'],
		body: endRequest,
		answer: changeResponse,
		errors: changingErrors,
		handler: ({ context, caller, body }) => end(context, caller, body),
	}),
	'POST /metrics/:key/value': route({
		feature: 'metrics',
		operationId: 'updateMetricValue',
		summary: 'Set the latest value of a metric',
		tags: ['Metrics'],
		params: metricParams,
		body: metricValueRequest,
		answer: metricValueResponse,
		errors: { ...commonErrors, 400: metricError, 404: metricError },
		handler: ({ context, caller, params, body }) => setMetric(context, caller, params.key, body),
	}),

	// Beckon's additions: the choices an editor offers, with an allowance separate from that of sending.
	'GET /channels': route({
		feature: 'lists',
		operationId: 'listChannels',
		summary: 'List the channels that the key may name',
		tags: ['Lists'],
		query: channelsQuery,
		answer: channelsResponse,
		errors: commonErrors,
		handler: ({ context, caller, query }) => listChannels(context, caller, query),
	}),
	'GET /phones': route({
		feature: 'lists',
		operationId: 'listPhones',
		summary: 'List the phones that the key may name',
		tags: ['Lists'],
		query: phonesQuery,
		answer: phonesResponse,
		errors: commonErrors,
		handler: ({ context, caller, query }) => listPhones(context, caller, query),
	}),
	'GET /metrics': route({
		feature: 'lists',
		operationId: 'listMetrics',
		summary: 'List the metrics of the account',
		tags: ['Lists'],
		query: metricsQuery,
		answer: metricsResponse,
		errors: commonErrors,
		handler: ({ context, caller, query }) => listMetrics(context, caller, query),
	}),
	'GET /live-activity/streams': route({
		feature: 'lists',
		operationId: 'listLiveActivityStreams',
		summary: 'List the streams that the key may update',
		tags: ['Lists'],
		query: streamsQuery,
		answer: streamsResponse,
		errors: commonErrors,
		handler: ({ context, caller, query }) => listStreams(context, caller, query),
	}),
	// And a place for a picture that a workflow has only as bytes.
	'POST /images': route({
		feature: 'images',
		takesPicture: true,
		operationId: 'storeImage',
		summary: 'Store a picture for the media of a push',
		tags: ['Push notifications'],
		answer: imageResponse,
		errors: { ...commonErrors, 409: requestError },
		handler: ({ context, caller, request }) => storeImage(context, caller, pictureIn(request)),
	}),
};

/** The public API, its OpenAPI document and the page to read it. */
export async function registerPublicApi(app: TypedApp, parts: HttpParts): Promise<void> {
	await app.register(cors, {
		origin: '*',
		methods: ['GET', 'POST', 'PUT', 'DELETE'],
		allowedHeaders: '*, Authorization',
		exposedHeaders: [
			'RateLimit',
			'RateLimit-Policy',
			'Retry-After',
			'WWW-Authenticate',
			'X-Request-Id',
		],
		maxAge: 86_400,
		// An OPTIONS request that is not a preflight is answered like one, instead of with plain text.
		strictPreflight: false,
	});
	await registerOpenApi(app, parts);
	const { context } = parts;
	const gate = new Gate(parts, 'api', ({ headers }) => bearerToken(headers.authorization));
	for (const feature of FEATURES) {
		const routes = Object.fromEntries(
			Object.entries(ROUTES).filter(([, ofFeature]) => ofFeature.feature === feature),
		);
		await app.register(
			plugin(feature, (inside) => {
				gate.guard(inside, feature);
				registerRoutes(inside, routes, routes, {
					identify: (request) => ({ context, caller: requireCaller(request) }),
				});
			}),
		);
	}
}
