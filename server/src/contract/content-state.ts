import { z } from 'zod';
import { color } from './common.ts';
import { text, unknownType } from './text.ts';

export const ACTIVITY_TYPES = [
	'segmented_progress',
	'progress',
	'metrics',
	'stats',
	'alert',
	'timer',
	'value',
] as const;

export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** Types whose layout has room for one button only (decisions.md "Content state"). */
export const TYPES_WITHOUT_SECONDARY_ACTION: readonly ActivityType[] = [
	'timer',
	'metrics',
	'stats',
];

const symbol = text({ min: 1, max: 128 });
const iconObject = z.strictObject({ symbol, color: color.optional() });

/** A bare symbol name is accepted everywhere and becomes the object form. */
const icon = z.union(
	[symbol.transform((name): z.output<typeof iconObject> => ({ symbol: name })), iconObject],
	{
		error: 'must be a symbol name, or an object with symbol and an optional color',
	},
);

const badge = z.strictObject({ title: text({ min: 1, max: 64 }), color: color.optional() });

const shortText = text({ min: 1, max: 64 });
const finite = z.number('must be a number');
const count = (min: number) => z.int('must be a whole number').min(min, `must be ${min} or more`);

const metricEntry = z.strictObject({
	label: shortText,
	value: z.union(
		[z.number().min(0, 'must be 0 or more'), shortText],
		'must be a number of 0 or more, or a text of 1 to 64 characters',
	),
	unit: text({ max: 64 }).optional(),
	color: color.optional(),
});

const metricEntries = z
	.array(metricEntry)
	.min(1, 'must have 1 to 8 entries')
	.max(8, 'must have 1 to 8 entries');

const percentage = finite.min(0, 'must be between 0 and 100').max(100, 'must be between 0 and 100');

const commonFields = {
	title: text({ min: 1, max: 255, trim: true }),
	subtitle: text({ max: 255 }).optional(),
	icon: icon.optional(),
	color: color.optional(),
};

/** The fields that belong to each type, beside the common ones. */
const fieldsOfType = {
	segmented_progress: {
		number_of_steps: count(1),
		current_step: count(0),
		step_color: color.optional(),
		step_colors: z.array(color).optional(),
		badge: badge.optional(),
	},
	progress: {
		percentage: percentage.optional(),
		value: finite.optional(),
		upper_limit: finite.positive('must be more than 0').optional(),
		badge: badge.optional(),
	},
	metrics: { metrics: metricEntries },
	stats: { metrics: metricEntries },
	alert: { message: text({ min: 1, max: 4000 }), badge: badge.optional() },
	timer: {
		duration_seconds: finite.positive('must be more than 0').optional(),
		counts_down: z.boolean().optional(),
		is_running: z.boolean().optional(),
	},
	value: {
		value: z.union([z.number(), shortText], 'must be a number or a text of 1 to 64 characters'),
		badge: badge.optional(),
	},
};

const variant = <T extends ActivityType>(type: T) =>
	z.strictObject({ type: z.literal(type), ...commonFields, ...fieldsOfType[type] });

const segmentedProgress = variant('segmented_progress')
	.refine((state) => state.current_step <= state.number_of_steps, {
		path: ['current_step'],
		error: 'must not be more than number_of_steps',
	})
	.refine((state) => !state.step_colors || state.step_colors.length === state.current_step, {
		path: ['step_colors'],
		error: 'must have one color for each completed step (its length must equal current_step)',
	});

const progress = variant('progress').refine(
	(state) =>
		state.percentage !== undefined ||
		(state.value !== undefined && state.upper_limit !== undefined),
	{ path: ['percentage'], error: 'is required (or send value together with upper_limit)' },
);

const timer = variant('timer').refine(
	(state) => state.counts_down === false || state.duration_seconds !== undefined,
	{ path: ['duration_seconds'], error: 'is required, unless counts_down is false' },
);

/** A complete state: what a start must satisfy, and what a merged state must still satisfy. */
export const contentState = z
	.discriminatedUnion(
		'type',
		[
			segmentedProgress,
			progress,
			variant('metrics'),
			variant('stats'),
			variant('alert'),
			timer,
			variant('value'),
		],
		{ error: unknownType(ACTIVITY_TYPES) },
	)
	.meta({ id: 'ContentState' });

export const contentStateStart = contentState;

/** Every field optional, each with its own bounds; the rules between fields hold for the merged state. */
const changeFields = {
	type: z.enum(ACTIVITY_TYPES).optional(),
	...commonFields,
	title: commonFields.title.optional(),
	...fieldsOfType.segmented_progress,
	number_of_steps: fieldsOfType.segmented_progress.number_of_steps.optional(),
	current_step: fieldsOfType.segmented_progress.current_step.optional(),
	percentage: percentage.optional(),
	upper_limit: fieldsOfType.progress.upper_limit,
	value: fieldsOfType.value.value.optional(),
	metrics: metricEntries.optional(),
	message: fieldsOfType.alert.message.optional(),
	...fieldsOfType.timer,
};

const autoDismiss = finite.int('must be a whole number').min(0, 'must be 0 or more').optional();

export const contentStateUpdate = z.strictObject(changeFields).meta({ id: 'ContentStateUpdater' });

export const contentStateEnd = z
	.strictObject({ ...changeFields, auto_dismiss_minutes: autoDismiss })
	.meta({ id: 'ContentStateEnd' });

export const streamContentState = z
	.strictObject({
		...changeFields,
		auto_dismiss_minutes: autoDismiss,
		auto_dismiss_seconds: autoDismiss,
	})
	.meta({ id: 'StreamContentState' });

export type ContentState = z.output<typeof contentState>;
export type ContentStateUpdate = z.output<typeof contentStateUpdate>;
export type ContentStateEnd = z.output<typeof contentStateEnd>;
export type StreamContentState = z.output<typeof streamContentState>;

/** The fields that every type has; the others belong to their type and go when it changes. */
export const COMMON_FIELDS = Object.keys(commonFields) as Array<keyof typeof commonFields>;
