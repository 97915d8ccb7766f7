import {
	channelsQuery,
	channelsResponse,
	metricsQuery,
	metricsResponse,
	streamsQuery,
	streamsResponse,
} from '../../contract/lists.ts';
import type { Context } from '../../service/context.ts';
import { listChannels, listMetrics, listStreams } from '../../service/lists.ts';
import { requireCaller } from '../gate.ts';
import type { TypedApp } from '../typed-app.ts';
import { commonAnswers } from './answers.ts';

const tags = ['Lists'];

/** Beckon's addition: the choices an editor offers, with an allowance separate from that of sending. */
export function registerLists(app: TypedApp, context: Context): void {
	app.get(
		'/channels',
		{
			schema: {
				operationId: 'listChannels',
				summary: 'List the channels that the key may name',
				tags,
				querystring: channelsQuery,
				response: { 200: channelsResponse, ...commonAnswers },
			},
		},
		(request) => listChannels(context, requireCaller(request), request.query),
	);

	app.get(
		'/metrics',
		{
			schema: {
				operationId: 'listMetrics',
				summary: 'List the metrics of the account',
				tags,
				querystring: metricsQuery,
				response: { 200: metricsResponse, ...commonAnswers },
			},
		},
		(request) => listMetrics(context, requireCaller(request), request.query),
	);

	app.get(
		'/live-activity/streams',
		{
			schema: {
				operationId: 'listLiveActivityStreams',
				summary: 'List the streams that the key may update',
				tags,
				querystring: streamsQuery,
				response: { 200: streamsResponse, ...commonAnswers },
			},
		},
		(request) => listStreams(context, requireCaller(request), request.query),
	);
}
