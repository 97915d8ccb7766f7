import { z } from 'zod';
import { color } from './common.ts';
import { atMost, text, unknownType } from './text.ts';

export type ActivityType = keyof typeof fieldsOfType;

/** Types whose layout has room for only one button (docs/api-decisions.md "Live Activity content"). */
export const TYPES_WITHOUT_SECONDARY_ACTION: readonly ActivityType[] = [
	'timer',
	'metrics',
	'stats',
];

const symbol = () => text({ min: 1, max: 128 });
const iconObject = z.strictObject({
	symbol: symbol().describe("Name of a symbol, as in Apple's SF Symbols."),
	color: color.optional().describe('Color of the icon.'),
});

/** A bare symbol name is accepted everywhere and becomes the object form. */
const icon = z.union(
	[
		symbol()
			.transform((name): z.output<typeof iconObject> => ({ symbol: name }))
			.describe('The name of the symbol alone.'),
		iconObject,
	],
	{ error: 'must be a symbol name, or an object with symbol and an optional color' },
);

const badge = z
	.strictObject({
		title: text({ min: 1, max: 64 }).describe('Text of the badge.'),
		color: color.optional().describe('Color of the badge.'),
	})
	.describe('A small label.');

const shortText = () => text({ min: 1, max: 64 });
const finite = z.number('must be a number');
const count = (min: number) => z.int('must be a whole number').min(min, `must be ${min} or more`);

const metricEntry = z.strictObject({
	label: shortText().describe('Name of the value.'),
	value: z
		.union(
			[z.number().min(0, 'must be 0 or more'), shortText()],
			'must be a number of 0 or more, or text of 1 to 64 characters',
		)
		.describe('A number of 0 or more, or a short text.'),
	unit: text({ max: 64 }).optional().describe('Shown after the value.'),
	color: color.optional().describe('Color of the value.'),
});

const metricEntries = atMost(
	8,
	z.array(metricEntry).min(1, 'must have 1 to 8 entries'),
	'must have 1 to 8 entries',
).describe('One to eight values with their labels.');

const percentage = finite
	.min(0, 'must be between 0 and 100')
	.max(100, 'must be between 0 and 100')
	.describe('Progress, from 0 to 100.');

const TYPE = 'Layout of the Live Activity.';

/** The fields all types share; the others belong to one type and are dropped when it changes. */
export const commonFields = {
	title: text({ min: 1, max: 255, trim: true }).describe('First line of the Live Activity.'),
	subtitle: text({ max: 255 }).optional().describe('Line under the title.'),
	icon: icon.optional().describe('A symbol beside the title: its name, or its name and color.'),
	color: color.optional().describe('Main color of the Live Activity.'),
};

/** The fields of each type, in addition to the common ones. */
export const fieldsOfType = {
	segmented_progress: {
		number_of_steps: count(1).describe('Number of steps; may change later.'),
		current_step: count(0).describe('Number of completed steps.'),
		step_color: color.optional().describe('Color of the completed steps.'),
		step_colors: atMost(1_000, z.array(color))
			.optional()
			.describe('A color for each completed step, instead of step_color.'),
		badge: badge.optional(),
	},
	progress: {
		percentage: percentage.optional(),
		value: finite.optional().describe('Progress in units of your own; needs upper_limit.'),
		upper_limit: finite
			.positive('must be more than 0')
			.optional()
			.describe('The value at which the bar is full.'),
		badge: badge.optional(),
	},
	metrics: { metrics: metricEntries },
	stats: { metrics: metricEntries },
	alert: {
		message: text({ min: 1, max: 4000 }).describe('Text of the alert.'),
		badge: badge.optional(),
	},
	timer: {
		duration_seconds: finite
			.positive('must be more than 0')
			.optional()
			.describe('Starts or resets the timer; if left out later, the timer keeps running.'),
		counts_down: z
			.boolean()
			.optional()
			.describe('true shows the time left, false the time that has passed.'),
		is_running: z.boolean().optional().describe('false freezes the timer, true resumes it.'),
	},
	value: {
		value: z
			.union([z.number(), shortText()], 'must be a number or text of 1 to 64 characters')
			.describe('Shown in large type: a number or a short text.'),
		badge: badge.optional(),
	},
};

export const ACTIVITY_TYPES = Object.keys(fieldsOfType) as ActivityType[];

const variant = <T extends ActivityType>(type: T) =>
	z.strictObject({ type: z.literal(type).describe(TYPE), ...commonFields, ...fieldsOfType[type] });

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

/** A complete state, as required of a start and of a merged state. */
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

/** Every field is optional, each with its own bounds; rules between fields apply to the merged state. */
const changeFields = {
	type: z.enum(ACTIVITY_TYPES).optional().describe(`${TYPE} If left out, it stays the same.`),
	...commonFields,
	title: commonFields.title.optional(),
	...fieldsOfType.segmented_progress,
	number_of_steps: fieldsOfType.segmented_progress.number_of_steps.optional(),
	current_step: fieldsOfType.segmented_progress.current_step.optional(),
	percentage: percentage.optional(),
	upper_limit: fieldsOfType.progress.upper_limit,
	value: fieldsOfType.value.value
		.optional()
		.describe('For value: shown in large type. For progress: the progress in units of your own.'),
	metrics: metricEntries.optional(),
	message: fieldsOfType.alert.message.optional(),
	...fieldsOfType.timer,
};

const autoDismiss = (unit: string) =>
	finite
		.int('must be a whole number')
		.min(0, 'must be 0 or more')
		.optional()
		.describe(`${unit} that it stays on the lock screen after its end, at most four hours.`);

export const contentStateUpdate = z.strictObject(changeFields).meta({ id: 'ContentStateUpdater' });

export const contentStateEnd = z
	.strictObject({ ...changeFields, auto_dismiss_minutes: autoDismiss('Minutes') })
	.meta({ id: 'ContentStateEnd' });

export const streamContentState = z
	.strictObject({
		...changeFields,
		auto_dismiss_minutes: autoDismiss('Minutes'),
		auto_dismiss_seconds: autoDismiss('Seconds'),
	})
	.meta({ id: 'StreamContentState' });

export type ContentState = z.output<typeof contentState>;
export type StreamContentState = z.output<typeof streamContentState>;

export const COMMON_FIELDS = Object.keys(commonFields) as Array<keyof typeof commonFields>;
