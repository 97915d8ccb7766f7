import type { PUBLIC_CALLS } from '../contract/public-calls.ts';
import { end, start, update } from '../service/activities/requests.ts';
import type { Caller, Context } from '../service/context.ts';
import { storeImage } from '../service/images/images.ts';
import {
	listChannels,
	listMetrics,
	listPeople,
	listPhones,
	listStreams,
	listTriggers,
} from '../service/lists.ts';
import { setMetric } from '../service/metrics.ts';
import { answerByForm, withdrawByKey } from '../service/questions/answer.ts';
import { listQuestions, readQuestion } from '../service/questions/read.ts';
import { updateBadge } from '../service/sending/badges.ts';
import {
	askQuestion,
	sendPush,
	sendRepeatedPush,
	type PushOptions,
} from '../service/sending/pushes.ts';
import { stopRepeat } from '../service/sending/repeats.ts';
import { deleteStreamByKey, putStream } from '../service/streams/requests.ts';
import { awaitTaps, registerTrigger, tapsDone } from '../service/triggers/listen.ts';
import { goneSignal } from './connections.ts';
import { pictureIn } from './images.ts';
import type { Routes, Exchange } from './routes/register.ts';
import { IDEMPOTENCY_HEADER, plainPushHeaders, pushHeaders } from '../contract/push-headers.ts';
import { requireValid } from '../service/refusal.ts';
import type { IdempotencyKey } from '../service/sending/idempotency.ts';

export interface ApiClient {
	context: Context;
	/** Who has sent an API key. */
	caller: Caller;
}

/** The handlers of the public API, for its clients and the Playground. */
export const PUBLIC_HANDLERS = {
	'POST /push-notification': ({ context, caller, body, ...exchange }) =>
		sendPush(context, caller, body, pushOptionsIn(exchange)),
	'POST /push-notification/repeated': ({ context, caller, body, ...exchange }) =>
		sendRepeatedPush(context, caller, body, pushOptionsIn(exchange)),
	'DELETE /push-notification/repeated/:repeat_id': ({ context, caller, params }) =>
		stopRepeat(context, caller, params.repeat_id),
	'POST /questions': ({ context, caller, body, ...exchange }) =>
		askQuestion(context, caller, body, idempotencyKeyIn(exchange)),
	'GET /questions': ({ context, caller, query }) => listQuestions(context, caller, query),
	'GET /questions/:question_id': ({ context, caller, params, query, reply }) =>
		readQuestion(context, caller, params.question_id, query, goneSignal(reply)),
	'POST /questions/:question_id/answer': ({ context, caller, params, body }) =>
		answerByForm(context, caller, params.question_id, body.fields),
	'DELETE /questions/:question_id': ({ context, caller, params }) =>
		withdrawByKey(context, caller, params.question_id),
	'PUT /triggers/:trigger_id': ({ context, caller, params, body }) =>
		registerTrigger(context, caller, params.trigger_id, body),
	'GET /triggers/:trigger_id/taps': ({ context, caller, params, query, reply }) =>
		awaitTaps(context, caller, params.trigger_id, query, goneSignal(reply)),
	'POST /triggers/:trigger_id/done': ({ context, caller, params, body }) =>
		tapsDone(context, caller, params.trigger_id, body),
	'POST /badge': ({ context, caller, body }) => updateBadge(context, caller, body),
	'PUT /live-activity/stream/:stream_key': ({ context, caller, params, body }) =>
		putStream(context, caller, params.stream_key, body),
	'DELETE /live-activity/stream/:stream_key': ({ context, caller, params, body }) =>
		deleteStreamByKey(context, caller, params.stream_key, body ?? {}),
	'POST /live-activity/start': ({ context, caller, body }) => start(context, caller, body),
	'POST /live-activity/update': ({ context, caller, body }) => update(context, caller, body),
	'POST /live-activity/end': ({ context, caller, body }) => end(context, caller, body),
	'POST /metrics/:key/value': ({ context, caller, params, body }) =>
		setMetric(context, caller, params.key, body),
	'GET /channels': ({ context, caller, query }) => listChannels(context, caller, query),
	'GET /phones': ({ context, caller, query }) => listPhones(context, caller, query),
	'GET /people': ({ context, caller, query }) => listPeople(context, caller, query),
	'GET /metrics': ({ context, caller, query }) => listMetrics(context, caller, query),
	'GET /live-activity/streams': ({ context, caller, query }) => listStreams(context, caller, query),
	'GET /triggers': ({ context, caller, query }) => listTriggers(context, caller, query),
	'POST /images': ({ context, caller, request }) => storeImage(context, caller, pictureIn(request)),
} satisfies Routes<typeof PUBLIC_CALLS, ApiClient>;

/**
 * The key of a push, if it has one; the response then says whether it is new or replayed.
 * @throws Refusal `invalid`
 */
function idempotencyKeyIn({ request, reply }: Exchange): IdempotencyKey | undefined {
	const sent = request.headers['idempotency-key'];
	if (sent === undefined) return undefined;
	const { 'Idempotency-Key': value = '' } = requireValid(pushHeaders, {
		'Idempotency-Key': sent,
	});
	reply.header(IDEMPOTENCY_HEADER, 'new');
	return { value, onReplayed: () => void reply.header(IDEMPOTENCY_HEADER, 'replayed') };
}

/**
 * What the headers of a push say.
 * @throws Refusal `invalid`
 */
function pushOptionsIn(exchange: Exchange): PushOptions {
	const key = idempotencyKeyIn(exchange);
	const { 'x-sequence-id': id, ttl: seconds } = exchange.request.headers;
	if (id === undefined && seconds === undefined) return { key };
	const { 'X-Sequence-ID': sequenceId, TTL: ttl } = requireValid(plainPushHeaders, {
		'X-Sequence-ID': id,
		TTL: seconds,
	});
	return { key, sequenceId, ttl };
}
