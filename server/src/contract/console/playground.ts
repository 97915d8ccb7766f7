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
import { metricKey, metricValueRequest } from '../metrics.ts';
import { pushRequest } from '../push.ts';

/**
 * The eight requests of the public API, as the Playground sends them: `key` is the one in the path, `body`
 * exactly the body a workflow would send.
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
]);

/** The request as a phone would show it, had it been sent. */
export interface PlaygroundPreview {
	server_time: string;
	notification?: Notification;
	activity?: ShownActivity;
	metric?: ShownMetric;
	badge?: number;
}

export type PlaygroundRequest = z.output<typeof playgroundRequest>;
