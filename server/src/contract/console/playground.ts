import { z } from 'zod';
import { badgeRequest } from '../badge.ts';
import type { Notification, ShownActivity, ShownMetric } from '../shown.ts';
import {
	endRequest,
	startRequest,
	streamDeleteRequest,
	streamKey,
	streamPutRequest,
	updateRequest,
} from '../live-activities.ts';
import { channelsQuery, metricsQuery, phonesQuery, streamsQuery } from '../lists.ts';
import { metricKey, metricValueRequest } from '../metrics.ts';
import { pushRequest } from '../push.ts';
import { repeatedPushRequest, repeatId, repeatStopRequest } from '../repeats.ts';

/**
 * The requests of the public API, as the Playground sends them: `key` is the one in the path, `body` exactly
 * the body a workflow would send, or the query of a list.
 */
export const playgroundRequest = z.discriminatedUnion('request', [
	z.strictObject({ request: z.literal('push'), body: pushRequest }),
	z.strictObject({ request: z.literal('badge'), body: badgeRequest }),
	z.strictObject({ request: z.literal('stream'), key: streamKey, body: streamPutRequest }),
	z.strictObject({ request: z.literal('stream_end'), key: streamKey, body: streamDeleteRequest }),
	z.strictObject({ request: z.literal('start'), body: startRequest }),
	z.strictObject({ request: z.literal('update'), body: updateRequest }),
	z.strictObject({ request: z.literal('end'), body: endRequest }),
	z.strictObject({ request: z.literal('metric'), key: metricKey, body: metricValueRequest }),
	z.strictObject({ request: z.literal('repeated'), body: repeatedPushRequest }),
	z.strictObject({
		request: z.literal('repeated_stop'),
		key: repeatId,
		body: repeatStopRequest,
	}),
	z.strictObject({ request: z.literal('channels'), body: channelsQuery }),
	z.strictObject({ request: z.literal('phones'), body: phonesQuery }),
	z.strictObject({ request: z.literal('metrics'), body: metricsQuery }),
	z.strictObject({ request: z.literal('streams'), body: streamsQuery }),
]);

/** The requests that only read. */
const LISTS = ['channels', 'phones', 'metrics', 'streams'] as const;

/** The request as a phone would show it, had it been sent. */
export interface PlaygroundPreview {
	server_time: string;
	notification?: Notification;
	activity?: ShownActivity;
	metric?: ShownMetric;
	badge?: number;
}

export type PlaygroundRequest = z.output<typeof playgroundRequest>;
export type PlaygroundList = Extract<PlaygroundRequest, { request: (typeof LISTS)[number] }>;

export function isList(sent: PlaygroundRequest): sent is PlaygroundList {
	return LISTS.some((name) => name === sent.request);
}
