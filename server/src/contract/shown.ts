import { z } from 'zod';
import { type ActivityType, commonFields, fieldsOfType } from './content-state.ts';
import { metricFormat, metricValue } from './metrics.ts';
import { pushRequest } from './push.ts';
import { shownQuestion } from './questions.ts';
import { timestamp } from './text.ts';

/**
 * Everything a phone shows, as the server sends it: notifications, Live Activities and metrics.
 *
 * A webhook button carries no URL: the server calls it, and the URL may hold a secret.
 */
const button = z.object({
	title: z.string(),
	type: z.enum(['open_url', 'webhook']),
	url: z.string().optional(),
	/** For a webhook: taps are refused because the question is answered or the activity has ended. */
	closed: z.literal(true).optional(),
});

/** The last tap a webhook accepted: the person, the button and the time. */
export const answer = z.object({
	/** Title of the button, or what the person typed. */
	button: z.string(),
	typed: z.literal(true).optional(),
	/** Name of the person. */
	by: z.string(),
	device: z.string(),
	at: timestamp,
	/** The webhook's message. */
	message: z.string().optional(),
	/** True if this answer closed the webhook buttons; otherwise they may still be tapped. */
	final: z.boolean(),
});

const { metadata: _metadata, target: _target, ...pushFields } = pushRequest.shape;

/** A push as it was sent, without what only the server reads. */
export const notification = z.object({
	...pushFields,
	/** True if `message` is Markdown. */
	markdown: z.literal(true).optional(),
	/** True if `message` is only the beginning: GET /device/deliveries/{delivery_id}/message has all of it. */
	shortened: z.literal(true).optional(),
	/** The channels that it was sent to; none: to everybody, or to phones. */
	channels: z.array(z.string()).optional(),
	actions: z.array(button).optional(),
	answer: answer.optional(),
	question: shownQuestion.optional(),
	/** Of the pushes with the same one, a phone shows the newest. */
	sequence_id: z.string().optional(),
	/** In a `push_update`: its sender has taken it off the screen. */
	cleared: z.literal(true).optional(),
});

/**
 * A timer in absolute times, so a late delivery shows the right time. Running, it shows now - started_at
 * (counting up) or ends_at - now (counting down). Paused, it shows `elapsed_seconds`. Pauses move `started_at`,
 * so its difference to now is the actual running time.
 */
const shownTimer = z.object({
	is_running: z.boolean(),
	counts_down: z.boolean(),
	started_at: timestamp,
	ends_at: timestamp.optional(),
	elapsed_seconds: z.number(),
	duration_seconds: z.number().optional(),
});

function shown<T extends ActivityType, F extends z.ZodRawShape>(type: T, fields: F) {
	return z.object({ type: z.literal(type), ...commonFields, ...fields });
}

/** The state as a phone shows it: icons as objects, progress as a percentage, timers absolute. */
export const shownState = z.discriminatedUnion('type', [
	shown('segmented_progress', fieldsOfType.segmented_progress),
	shown('progress', { ...fieldsOfType.progress, percentage: z.number() }),
	shown('metrics', fieldsOfType.metrics),
	shown('stats', fieldsOfType.stats),
	shown('alert', fieldsOfType.alert),
	shown('timer', { timer: shownTimer }),
	shown('value', fieldsOfType.value),
]);

export const shownActivity = z.object({
	activity_id: z.string(),
	stream_key: z.string().nullable(),
	content_state: shownState,
	action: button.optional(),
	secondary_action: button.optional(),
	answer: answer.optional(),
	started_at: timestamp,
	updated_at: timestamp,
	/** Time at which the phone takes an ended activity off the lock screen; null while it runs. */
	dismiss_at: timestamp.nullable(),
});

export const shownMetric = z.object({
	key: z.string(),
	name: z.string(),
	format: metricFormat,
	unit: z.string().nullable(),
	value: metricValue.nullable(),
	measured_at: timestamp.nullable(),
});

export type Button = z.output<typeof button>;
export type Answer = z.output<typeof answer>;
export type Notification = z.output<typeof notification>;
export type ShownState = z.output<typeof shownState>;
export type ShownTimer = z.output<typeof shownTimer>;
export type ShownActivity = z.output<typeof shownActivity>;
export type ShownMetric = z.output<typeof shownMetric>;
