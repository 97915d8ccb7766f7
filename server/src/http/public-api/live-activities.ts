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
import { end, start, update } from '../../service/activities/requests.ts';
import type { Context } from '../../service/context.ts';
import { deleteStreamByKey, putStream } from '../../service/streams/requests.ts';
import type { TypedApp } from '../typed-app.ts';
import { changingAnswers, rateOrCapacity, sendingAnswers } from './answers.ts';
import { requireCaller } from '../gate.ts';

const STREAMS = 'Live Activity streams';
const LEGACY = 'Live Activities (manual)';

export function registerLiveActivities(app: TypedApp, context: Context): void {
	app.put(
		'/live-activity/stream/:stream_key',
		{
			schema: {
				operationId: 'reconcileLiveActivityStream',
				summary: 'Start or update the Live Activity of a stream',
				tags: [STREAMS],
				params: streamParams,
				body: streamPutRequest,
				response: { 200: streamPutResponse, ...sendingAnswers, 429: rateOrCapacity },
			},
		},
		(request) =>
			putStream(context, requireCaller(request), request.params.stream_key, request.body),
	);

	app.delete(
		'/live-activity/stream/:stream_key',
		{
			schema: {
				operationId: 'endLiveActivityStream',
				summary: 'End a stream and its Live Activity',
				tags: [STREAMS],
				params: streamParams,
				body: streamDeleteRequest.nullable(),
				response: { 200: streamDeleteResponse, ...changingAnswers },
			},
		},
		(request) =>
			deleteStreamByKey(
				context,
				requireCaller(request),
				request.params.stream_key,
				request.body ?? {},
			),
	);

	app.post(
		'/live-activity/start',
		{
			schema: {
				operationId: 'startLiveActivity',
				summary: 'Start a Live Activity',
				tags: [LEGACY],
				body: startRequest,
				response: { 200: startResponse, ...sendingAnswers, 429: rateOrCapacity },
			},
		},
		(request) => start(context, requireCaller(request), request.body),
	);

	app.post(
		'/live-activity/update',
		{
			schema: {
				operationId: 'updateLiveActivity',
				summary: 'Update a Live Activity',
				tags: [LEGACY],
				body: updateRequest,
				response: { 200: changeResponse, ...changingAnswers },
			},
		},
		(request) => update(context, requireCaller(request), request.body),
	);

	app.post(
		'/live-activity/end',
		{
			schema: {
				operationId: 'endLiveActivity',
				summary: 'End a Live Activity',
				tags: [LEGACY],
				body: endRequest,
				response: { 200: changeResponse, ...changingAnswers },
			},
		},
		(request) => end(context, requireCaller(request), request.body),
	);
}
