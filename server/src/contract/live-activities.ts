import { z } from 'zod';
import { action } from './actions.ts';
import {
	alertPayload,
	channelSlugs,
	channelTarget,
	devicesNotified,
	devicesQueued,
	isSameSet,
	metadata,
	tags,
} from './common.ts';
import {
	contentState,
	contentStateEnd,
	contentStateUpdate,
	streamContentState,
} from './content-state.ts';
import { pushResponse } from './push.ts';
import { timestamp } from './text.ts';

export const streamKey = z
	.string()
	.max(255, 'must be at most 255 characters long')
	.regex(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, underscores and dashes')
	.describe('Identifies the Live Activity: a key of your choice.');

export const streamParams = z.strictObject({ stream_key: streamKey });

const activityId = z
	.string('must be the activity_id that start returned')
	.min(1)
	.max(64)
	.describe('The activity_id that start returned.');

const buttons = {
	action: action.optional().describe('The first button.'),
	secondary_action: action
		.optional()
		.describe('The second button; only for alert, progress, segmented_progress and value.'),
};

/** For things that may already have tags. */
const changedTags = tags
	.optional()
	.describe('If left out, the tags stay; an array replaces them, an empty one clears them.');

/** Body of PUT /live-activity/stream/{stream_key}. */
export const streamPutRequest = z
	.strictObject({
		metadata: metadata.optional(),
		content_state: streamContentState.describe(
			'The content. Fields left out keep their values; type and title are required at the start.',
		),
		...buttons,
		alert: alertPayload.optional(),
		channels: channelSlugs.optional(),
		target: channelTarget
			.optional()
			.describe(
				'The form of channels that the other requests use. If both are sent, they must match.',
			),
		tags: changedTags,
	})
	.refine(({ channels, target }) => !channels || !target || isSameSet(channels, target.channels), {
		path: ['channels'],
		error: 'must match target.channels when both are sent',
	})
	.meta({ id: 'LiveActivityStreamRequest' });

/** docs/api-decisions.md "Streams". */
const OPERATION =
	'started: a new activity; updated: the running one was changed; rotated: it was ended and a new one started, as its type or channels changed or iOS would end it soon; noop: nothing had changed, nothing was sent; paused: only stored.';

export const streamPutResponse = z
	.strictObject({
		...pushResponse.shape,
		operation: z.enum(['started', 'updated', 'rotated', 'noop', 'paused']).describe(OPERATION),
		stream_key: z.string(),
		activity_id: z.string().nullable().describe('null while the Live Activity is paused.'),
		previous_activity_id: z
			.string()
			.optional()
			.describe('For rotated: the activity that was ended.'),
		devices_queued: devicesQueued,
	})
	.meta({ id: 'LiveActivityStreamPutResponse' });

/** Body of DELETE /live-activity/stream/{stream_key}, which may be absent. */
export const streamDeleteRequest = z
	.strictObject({
		metadata: metadata.optional(),
		content_state: streamContentState
			.optional()
			.describe('The last state to show; if left out, the latest known one.'),
		...buttons,
		alert: alertPayload.optional(),
		tags: changedTags,
	})
	.meta({ id: 'LiveActivityStreamDeleteRequest' });

export const streamDeleteResponse = z
	.strictObject({
		success: z.literal(true),
		operation: z.literal('ended'),
		stream_key: z.string(),
		activity_id: z.string().nullable().describe('null: none was running.'),
		devices_queued: devicesQueued,
		devices_notified: devicesNotified,
		timestamp,
	})
	.meta({ id: 'LiveActivityStreamDeleteResponse' });

/** Body of POST /live-activity/start. */
export const startRequest = z
	.strictObject({
		metadata: metadata.optional(),
		content_state: contentState.describe('What is shown.'),
		...buttons,
		alert: alertPayload.optional(),
		target: channelTarget.optional(),
		tags: tags.optional(),
	})
	.meta({ id: 'LiveActivityStartRequest' });

export const startResponse = z
	.strictObject({
		...pushResponse.shape,
		activity_id: z.string().describe('Update and end require it: save it.'),
	})
	.meta({ id: 'LiveActivityStartResponse' });

/** Body of POST /live-activity/update. */
export const updateRequest = z
	.strictObject({
		metadata: metadata.optional(),
		activity_id: activityId,
		tags: changedTags,
		content_state: contentStateUpdate.describe('The changed fields; the others keep their values.'),
		...buttons,
	})
	.meta({ id: 'LiveActivityUpdateRequest' });

const LAST_STATE = 'The last state to show. Fields left out keep their values.';

/** Body of POST /live-activity/end. */
export const endRequest = updateRequest
	.extend({ content_state: contentStateEnd.describe(LAST_STATE) })
	.meta({ id: 'LiveActivityEndRequest' });

/** Response to an update and to an end. */
export const changeResponse = z
	.strictObject({
		success: z.literal(true),
		activity_id: z.string(),
		devices_queued: devicesQueued,
		devices_notified: devicesNotified,
		timestamp,
	})
	.meta({ id: 'LiveActivityChangeResponse' });

export type StreamPutRequest = z.output<typeof streamPutRequest>;
export type StreamPutResponse = z.output<typeof streamPutResponse>;
export type StreamOperation = StreamPutResponse['operation'];
export type StreamDeleteRequest = z.output<typeof streamDeleteRequest>;
export type StreamDeleteResponse = z.output<typeof streamDeleteResponse>;
export type StartRequest = z.output<typeof startRequest>;
export type StartResponse = z.output<typeof startResponse>;
export type UpdateRequest = z.output<typeof updateRequest>;
export type EndRequest = z.output<typeof endRequest>;
export type ChangeResponse = z.output<typeof changeResponse>;
