import fc from 'fast-check';
import { COLORS } from '../../src/contract/values.ts';
import {
	ACTIVITY_TYPES,
	type ActivityType,
	contentState,
	type ContentState,
	streamContentState,
	type StreamContentState,
} from '../../src/contract/content-state.ts';

const short = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const title = fc.stringMatching(/^[A-Za-z0-9ü😀]{1,20}$/u);
const color = fc.constantFrom(...COLORS);
const icon = fc.oneof(short, fc.record({ symbol: short, color }, { requiredKeys: ['symbol'] }));
const badge = fc.record({ title: short, color }, { requiredKeys: ['title'] });
/** JSON has no NaN and no infinity, and the store returns `-0` as 0. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true });

const entry = fc.record(
	{ label: short, value: fc.oneof(positive, short), unit: short, color },
	{ requiredKeys: ['label', 'value'] },
);
const metrics = fc.array(entry, { minLength: 1, maxLength: 8 });

/** Steps with a matching number of colors, as a start requires. */
const steps = fc.integer({ min: 1, max: 9 }).chain((total) =>
	fc.integer({ min: 0, max: total }).chain((current) =>
		fc.record(
			{
				number_of_steps: fc.constant(total),
				current_step: fc.constant(current),
				step_color: color,
				step_colors: fc.array(color, { minLength: current, maxLength: current }),
			},
			{ requiredKeys: ['number_of_steps', 'current_step'] },
		),
	),
);

/** The own fields of each type: complete for a start, and one by one for a change. */
const OWN: Record<
	ActivityType,
	{ complete: fc.Arbitrary<object>; fields: Record<string, fc.Arbitrary<unknown>> }
> = {
	segmented_progress: {
		complete: steps,
		fields: {
			number_of_steps: fc.integer({ min: 1, max: 9 }),
			current_step: fc.integer({ min: 0, max: 9 }),
			step_color: color,
			step_colors: fc.array(color, { maxLength: 9 }),
			badge,
		},
	},
	progress: {
		complete: fc.oneof(
			fc.record({ percentage: fc.double({ min: 0, max: 100, noNaN: true }) }),
			fc.record({ value: number, upper_limit: positive }),
			fc.record({
				percentage: fc.integer({ min: 0, max: 100 }),
				value: number,
				upper_limit: positive,
			}),
		),
		fields: {
			percentage: fc.integer({ min: 0, max: 100 }),
			value: number,
			upper_limit: positive,
			badge,
		},
	},
	metrics: { complete: fc.record({ metrics }), fields: { metrics } },
	stats: { complete: fc.record({ metrics }), fields: { metrics } },
	alert: { complete: fc.record({ message: short }), fields: { message: short, badge } },
	timer: {
		complete: fc.oneof(
			fc.record(
				{ duration_seconds: positive, is_running: fc.boolean() },
				{ requiredKeys: ['duration_seconds'] },
			),
			fc.record({ counts_down: fc.constant(false) }),
		),
		fields: { duration_seconds: positive, counts_down: fc.boolean(), is_running: fc.boolean() },
	},
	value: {
		complete: fc.record({ value: fc.oneof(number, short) }),
		fields: { value: fc.oneof(number, short), badge },
	},
};

const common = { subtitle: short, icon, color };

/** The state of a start: complete for its type. */
export const startStates: fc.Arbitrary<ContentState> = fc
	.constantFrom(...ACTIVITY_TYPES)
	.chain((type) =>
		fc
			.tuple(fc.record({ title, ...common }, { requiredKeys: ['title'] }), OWN[type].complete)
			.map(([shared, own]) => contentState.parse({ type, ...shared, ...own })),
	);

/**
 * The state of an update: any fields of one type, with or without the type itself. The merge may fail,
 * depending on the state it meets.
 */
export const changes: fc.Arbitrary<StreamContentState> = fc
	.constantFrom(...ACTIVITY_TYPES)
	.chain((type) =>
		fc
			.tuple(
				fc.record(
					{
						title,
						...common,
						...OWN[type].fields,
						auto_dismiss_minutes: fc.nat(500),
						auto_dismiss_seconds: fc.nat(20_000),
					},
					{ requiredKeys: [] },
				),
				fc.boolean(),
			)
			.map(([fields, withType]) =>
				streamContentState.parse({ ...fields, ...(withType && { type }) }),
			),
	);

/** A state and a matching change: of its own type, so most of them can be merged. */
export const statesWithChanges: fc.Arbitrary<{ state: ContentState; change: StreamContentState }> =
	startStates.chain((state) =>
		fc
			.record({ title, ...common, ...OWN[state.type].fields }, { requiredKeys: [] })
			.map((fields) => ({ state, change: streamContentState.parse(fields) })),
	);
