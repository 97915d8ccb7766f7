import { z } from 'zod';
import { badgeCount, color } from './common.ts';
import { metricFormat, metricValue } from './metrics.ts';
import { INTERRUPTION_LEVELS } from './values.ts';
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
	/** Title of the button. */
	button: z.string(),
	/** Name of the person. */
	by: z.string(),
	device: z.string(),
	at: timestamp,
	/** The webhook's message. */
	message: z.string().optional(),
	/** True if this answer closed the webhook buttons; otherwise they may still be tapped. */
	final: z.boolean(),
});

export const notification = z.object({
	title: z.string(),
	subtitle: z.string().optional(),
	message: z.string().optional(),
	icon: z.string().optional(),
	interruption_level: z.enum(INTERRUPTION_LEVELS),
	media: z.string().optional(),
	redirection: z.string().optional(),
	actions: z.array(button).optional(),
	answer: answer.optional(),
	payload: z.record(z.string(), z.unknown()).optional(),
	badge: badgeCount.optional(),
	sound: z.string(),
	tags: z.array(z.string()).optional(),
});

const icon = z.object({ symbol: z.string(), color: color.optional() });
const badge = z.object({ title: z.string(), color: color.optional() });

const shownCommon = {
	title: z.string(),
	subtitle: z.string().optional(),
	icon: icon.optional(),
	color: color.optional(),
};

const shownMetrics = z.array(
	z.object({
		label: z.string(),
		value: z.union([z.number(), z.string()]),
		unit: z.string().optional(),
		color: color.optional(),
	}),
);

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

/** The state as a phone shows it: icons as objects, progress as a percentage, timers absolute. */
export const shownState = z.discriminatedUnion('type', [
	z.object({
		type: z.literal('segmented_progress'),
		...shownCommon,
		number_of_steps: z.int(),
		current_step: z.int(),
		step_color: color.optional(),
		step_colors: z.array(color).optional(),
		badge: badge.optional(),
	}),
	z.object({
		type: z.literal('progress'),
		...shownCommon,
		percentage: z.number(),
		value: z.number().optional(),
		upper_limit: z.number().optional(),
		badge: badge.optional(),
	}),
	z.object({ type: z.literal('metrics'), ...shownCommon, metrics: shownMetrics }),
	z.object({ type: z.literal('stats'), ...shownCommon, metrics: shownMetrics }),
	z.object({
		type: z.literal('alert'),
		...shownCommon,
		message: z.string(),
		badge: badge.optional(),
	}),
	z.object({ type: z.literal('timer'), ...shownCommon, timer: shownTimer }),
	z.object({
		type: z.literal('value'),
		...shownCommon,
		value: z.union([z.number(), z.string()]),
		badge: badge.optional(),
	}),
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
