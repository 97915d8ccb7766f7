import { z } from 'zod';
import { action } from './actions.ts';
import {
	alertPayload,
	channelSlugs,
	channelTarget,
	effectiveChannelSlugs,
	isSameSet,
	metadata,
	tags,
} from './common.ts';
import {
	contentStateEnd,
	contentStateStart,
	contentStateUpdate,
	streamContentState,
} from './content-state.ts';
import { timestamp } from './text.ts';

export const streamKey = z
	.string()
	.max(255, 'must be at most 255 characters long')
	.regex(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, underscores and hyphens');

export const streamParams = z.strictObject({ stream_key: streamKey });

const activityId = z.string('must be the activity_id that start returned').min(1).max(64);

const buttons = { action: action.optional(), secondary_action: action.optional() };

/** Body of PUT /live-activity/stream/{stream_key} (service-api.md section 3). */
export const streamPutRequest = z
	.strictObject({
		metadata: metadata.optional(),
		content_state: streamContentState,
		...buttons,
		alert: alertPayload.optional(),
		channels: channelSlugs.optional(),
		target: channelTarget.optional(),
		tags: tags.optional(),
	})
	.refine(({ channels, target }) => !channels || !target || isSameSet(channels, target.channels), {
		path: ['channels'],
		error: 'must match target.channels when both are sent',
	})
	.meta({ id: 'LiveActivityStreamRequest' });

export const STREAM_OPERATIONS = ['started', 'updated', 'rotated', 'noop', 'paused'] as const;

export const streamPutResponse = z
	.strictObject({
		success: z.literal(true),
		operation: z.enum(STREAM_OPERATIONS),
		stream_key: z.string(),
		activity_id: z.string().nullable(),
		previous_activity_id: z.string().optional(),
		devices_notified: z.int(),
		devices_queued: z.int(),
		users_notified: z.int(),
		effective_channel_slugs: effectiveChannelSlugs,
		tags: tags.optional(),
		timestamp,
	})
	.meta({ id: 'LiveActivityStreamPutResponse' });

/** Body of DELETE /live-activity/stream/{stream_key}, which may be absent (section 4). */
export const streamDeleteRequest = z
	.strictObject({
		metadata: metadata.optional(),
		content_state: streamContentState.optional(),
		...buttons,
		alert: alertPayload.optional(),
		tags: tags.optional(),
	})
	.meta({ id: 'LiveActivityStreamDeleteRequest' });

export const streamDeleteResponse = z
	.strictObject({
		success: z.literal(true),
		operation: z.literal('ended'),
		stream_key: z.string(),
		activity_id: z.string().nullable(),
		devices_queued: z.int(),
		devices_notified: z.int(),
		timestamp,
	})
	.meta({ id: 'LiveActivityStreamDeleteResponse' });

/** Body of POST /live-activity/start (section 5). */
export const startRequest = z
	.strictObject({
		metadata: metadata.optional(),
		content_state: contentStateStart,
		...buttons,
		alert: alertPayload.optional(),
		target: channelTarget.optional(),
		tags: tags.optional(),
	})
	.meta({ id: 'LiveActivityStartRequest' });

export const startResponse = z
	.strictObject({
		success: z.literal(true),
		activity_id: z.string(),
		devices_notified: z.int(),
		users_notified: z.int(),
		effective_channel_slugs: effectiveChannelSlugs,
		tags: tags.optional(),
		timestamp,
	})
	.meta({ id: 'LiveActivityStartResponse' });

/** Body of POST /live-activity/update (section 6). */
export const updateRequest = z
	.strictObject({
		metadata: metadata.optional(),
		activity_id: activityId,
		tags: tags.optional(),
		content_state: contentStateUpdate,
		...buttons,
	})
	.meta({ id: 'LiveActivityUpdateRequest' });

/** Body of POST /live-activity/end (section 7). */
export const endRequest = z
	.strictObject({
		metadata: metadata.optional(),
		activity_id: activityId,
		tags: tags.optional(),
		content_state: contentStateEnd,
		...buttons,
	})
	.meta({ id: 'LiveActivityEndRequest' });

/** Answer to update and to end. */
export const changeResponse = z
	.strictObject({
		success: z.literal(true),
		activity_id: z.string(),
		devices_queued: z.int(),
		devices_notified: z.int(),
		timestamp,
	})
	.meta({ id: 'LiveActivityChangeResponse' });

export type StreamPutRequest = z.output<typeof streamPutRequest>;
export type StreamPutResponse = z.output<typeof streamPutResponse>;
export type StreamOperation = (typeof STREAM_OPERATIONS)[number];
export type StreamDeleteRequest = z.output<typeof streamDeleteRequest>;
export type StreamDeleteResponse = z.output<typeof streamDeleteResponse>;
export type StartRequest = z.output<typeof startRequest>;
export type StartResponse = z.output<typeof startResponse>;
export type UpdateRequest = z.output<typeof updateRequest>;
export type EndRequest = z.output<typeof endRequest>;
export type ChangeResponse = z.output<typeof changeResponse>;
