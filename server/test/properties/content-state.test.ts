import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
	COMMON_FIELDS,
	contentState,
	type StreamContentState,
} from '../../src/contract/content-state.ts';
import { shownState as shownStateSchema } from '../../src/contract/shown.ts';
import {
	type ActivityState,
	changeState,
	endedState,
	shownState,
	toDismissSeconds,
} from '../../src/service/shown/content-state.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { changes, startStates, statesWithChanges } from '../support/arbitraries.ts';
import { scaled } from '../support/scaled.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

/** The merged state, or undefined if it was refused; any other error is a failure. */
function tryChange(
	previous: ActivityState | undefined,
	change: StreamContentState,
	now = NOW,
): ActivityState | undefined {
	try {
		return changeState(previous, change, now);
	} catch (error) {
		if (error instanceof Refusal && error.kind === 'invalid') return undefined;
		throw error;
	}
}

const fieldsOf = ({
	auto_dismiss_minutes: _minutes,
	auto_dismiss_seconds: _seconds,
	...fields
}: StreamContentState) => fields as Record<string, unknown>;

describe('merging content states', () => {
	it('gives a state that satisfies the start rules of its type, or refuses the change', () => {
		let refused = 0;
		let merged = 0;
		fc.assert(
			fc.property(
				startStates,
				fc.array(
					fc.oneof(
						changes,
						statesWithChanges.map(({ change }) => change),
					),
					{ maxLength: 6 },
				),
				(first, later) => {
					let state = changeState(undefined, first, NOW);
					for (const change of later) {
						const next = tryChange(state, change);
						if (next) merged += 1;
						else refused += 1;
						state = next ?? state;
						expect(contentState.safeParse(state.content).error).toBeUndefined();
						expect(state.timer !== undefined).toBe(state.content.type === 'timer');
					}
				},
			),
			{ numRuns: scaled(500) },
		);
		// Otherwise half of the rule was never tried.
		expect(merged).toBeGreaterThan(50);
		expect(refused).toBeGreaterThan(50);
	});

	it('changes nothing when nothing is sent', () => {
		fc.assert(
			fc.property(startStates, fc.nat(1e9), (first, later) => {
				const state = changeState(undefined, first, NOW);
				expect(changeState(state, {}, NOW + later)).toStrictEqual(state);
				expect(changeState(state, { type: first.type }, NOW + later)).toStrictEqual(state);
			}),
			{ numRuns: scaled(500) },
		);
	});

	it('changes nothing the second time, but for the window of a timer', () => {
		fc.assert(
			fc.property(statesWithChanges, ({ state: first, change }) => {
				const once = tryChange(changeState(undefined, first, NOW), change);
				fc.pre(once !== undefined);
				expect(changeState(once, change, NOW)).toStrictEqual(once);
			}),
			{ numRuns: scaled(500) },
		);
	});

	it('takes each field from the last call that sent it', () => {
		fc.assert(
			fc.property(statesWithChanges, ({ state: first, change }) => {
				const previous = changeState(undefined, first, NOW);
				const next = tryChange(previous, change);
				fc.pre(next !== undefined);
				const sent = fieldsOf(change);
				const content = next.content as Record<string, unknown>;
				for (const [name, value] of Object.entries(sent))
					expect(content[name]).toStrictEqual(value);
				for (const [name, value] of Object.entries(previous.content)) {
					if (name in sent) continue;
					// Two fields depend on others: colors on their steps, a percentage on the value it was computed from.
					if (name === 'step_colors' && 'current_step' in sent) continue;
					if (name === 'percentage' && ('value' in sent || 'upper_limit' in sent)) continue;
					expect(content[name]).toStrictEqual(value);
				}
				for (const name of Object.keys(content))
					expect(name in sent || name in previous.content).toBe(true);
			}),
			{ numRuns: scaled(1_000) },
		);
	});

	it('drops the own fields of the old type and keeps the common ones when the type changes', () => {
		fc.assert(
			fc.property(startStates, startStates, (first, second) => {
				fc.pre(first.type !== second.type);
				// The new type's own fields without the common ones, which must be kept from before.
				const own = Object.fromEntries(
					Object.entries(second).filter(([name]) => !(COMMON_FIELDS as string[]).includes(name)),
				);
				const { content } = changeState(changeState(undefined, first, NOW), own, NOW);
				const common = Object.fromEntries(
					Object.entries(first).filter(([name]) => (COMMON_FIELDS as string[]).includes(name)),
				);
				expect(content).toStrictEqual({ ...common, ...own });
			}),
			{ numRuns: scaled(500) },
		);
	});

	it('refuses a new type whose start rules the change does not satisfy', () => {
		const alert = changeState(undefined, { type: 'alert', title: 'A', message: 'm' }, NOW);
		for (const type of [
			'segmented_progress',
			'progress',
			'metrics',
			'stats',
			'timer',
			'value',
		] as const) {
			expect(tryChange(alert, { type })).toBeUndefined();
		}
	});

	it('cuts or continues the colors of the steps when only the step is sent', () => {
		const start = { type: 'segmented_progress', title: 'A', number_of_steps: 5 } as const;
		const state = changeState(
			undefined,
			{ ...start, current_step: 2, step_colors: ['red', 'blue'] },
			NOW,
		);
		expect(changeState(state, { current_step: 4 }, NOW).content).toMatchObject({
			step_colors: ['red', 'blue', 'blue', 'blue'],
		});
		expect(changeState(state, { current_step: 1 }, NOW).content).toMatchObject({
			step_colors: ['red'],
		});
	});
});

describe('what a phone shows of a state', () => {
	it('is what the device protocol promises, at any time and after any changes', () => {
		fc.assert(
			fc.property(
				startStates,
				fc.array(fc.tuple(changes, fc.nat(1e8)), { maxLength: 5 }),
				(first, later) => {
					let now = NOW;
					let state = changeState(undefined, first, now);
					for (const [change, passed] of later) {
						now += passed;
						state = tryChange(state, change, now) ?? state;
					}
					for (const shown of [shownState(state, now), shownState(endedState(state, now), now)]) {
						expect(shownStateSchema.safeParse(shown).error).toBeUndefined();
						expect(shownStateSchema.parse(shown)).toStrictEqual(shown);
						if (shown.type === 'progress')
							expect(shown.percentage).toBe(Math.min(100, Math.max(0, shown.percentage)));
					}
				},
			),
			{ numRuns: scaled(500) },
		);
	});

	it('is the percentage where one was sent, and otherwise the share of the limit', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 100 }),
				fc.integer({ min: -1_000, max: 1_000 }),
				fc.integer({ min: 1, max: 500 }),
				(percentage, value, limit) => {
					const bar = { type: 'progress', title: 'A', value, upper_limit: limit } as const;
					const both = changeState(undefined, { ...bar, percentage }, NOW);
					expect(shownState(both, NOW)).toMatchObject({ percentage });
					const share = Math.min(100, Math.max(0, (value / limit) * 100));
					expect(shownState(changeState(undefined, bar, NOW), NOW)).toMatchObject({
						percentage: share,
					});
					// A value sent later overrides a percentage sent before.
					expect(shownState(changeState(both, { value }, NOW), NOW)).toMatchObject({
						percentage: share,
					});
				},
			),
		);
	});

	it('does not fail for a timer that runs longer than dates reach', () => {
		for (const duration of [1e9, 1e12, 1e15, 1e300]) {
			const state = changeState(
				undefined,
				{ type: 'timer', title: 'A', duration_seconds: duration },
				NOW,
			);
			expect(shownStateSchema.safeParse(shownState(state, NOW)).error).toBeUndefined();
		}
	});
});

describe('when an ended activity leaves the screen', () => {
	it('is as the sender said last, in seconds rather than minutes, within four hours', () => {
		fc.assert(
			fc.property(fc.array(changes, { maxLength: 4 }), fc.nat(1_000), (later, fallback) => {
				let state = changeState(undefined, { type: 'alert', title: 'A', message: 'm' }, NOW);
				let expected = fallback;
				for (const change of later) {
					const next = tryChange(state, change);
					if (!next) continue;
					state = next;
					if (change.auto_dismiss_seconds !== undefined) expected = change.auto_dismiss_seconds;
					else if (change.auto_dismiss_minutes !== undefined)
						expected = change.auto_dismiss_minutes * 60;
				}
				expect(toDismissSeconds(state, fallback)).toBe(Math.min(expected, 14_400));
			}),
			{ numRuns: scaled(500) },
		);
	});
});
