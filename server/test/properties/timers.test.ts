import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
	changeTimer,
	elapsedMs,
	shownTimer,
	startTimer,
	type TimerRun,
	type TimerSettings,
} from '../../src/service/shown/content-state.ts';
import { scaled } from '../support/scaled.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

const settings: fc.Arbitrary<TimerSettings> = fc.oneof(
	fc.record(
		{ duration_seconds: fc.integer({ min: 1, max: 7_200 }), is_running: fc.boolean() },
		{ requiredKeys: ['duration_seconds'] },
	),
	fc.record(
		{ counts_down: fc.constant(false), is_running: fc.boolean() },
		{ requiredKeys: ['counts_down'] },
	),
	fc.record({
		counts_down: fc.constant(false),
		duration_seconds: fc.integer({ min: 1, max: 7_200 }),
	}),
);

/** A possible update of a timer, after some time. */
const step = fc.record({
	passed: fc.nat(4_000_000),
	change: fc.record(
		{ is_running: fc.boolean(), duration_seconds: fc.integer({ min: 1, max: 7_200 }) },
		{ requiredKeys: [] },
	),
});

interface Timer {
	settings: TimerSettings;
	run: TimerRun;
	now: number;
}

function after(
	{ settings: before, run, now }: Timer,
	{ passed, change }: { passed: number; change: Partial<TimerSettings> },
): Timer {
	const later = now + passed;
	const merged = { ...before, ...change };
	return {
		settings: merged,
		run: changeTimer(before, merged, run, {
			isReset: change.duration_seconds !== undefined,
			now: later,
		}),
		now: later,
	};
}

const timers = fc
	.tuple(settings, fc.array(step, { maxLength: 6 }))
	.map(([first, steps]) =>
		steps.reduce<Timer>(after, { settings: first, run: startTimer(START), now: START }),
	);

const runs = (timer: TimerSettings) => timer.is_running !== false;
const limit = (timer: TimerSettings) =>
	timer.counts_down === false ? Infinity : (timer.duration_seconds ?? Infinity) * 1_000;

describe('timers', () => {
	it('run on while they run, and stand still while they are paused', () => {
		fc.assert(
			fc.property(
				timers,
				fc.array(fc.nat(4_000_000), { minLength: 1, maxLength: 5 }),
				({ settings: timer, run, now }, waits) => {
					let before = elapsedMs(timer, run, now);
					let at = now;
					for (const wait of waits) {
						at += wait;
						const elapsed = elapsedMs(timer, run, at);
						expect(elapsed).toBe(runs(timer) ? Math.min(before + wait, limit(timer)) : before);
						before = elapsed;
					}
				},
			),
			{ numRuns: scaled(1_000) },
		);
	});

	it('have never run for less than no time, or longer than a countdown lasts', () => {
		fc.assert(
			fc.property(
				timers,
				fc.integer({ min: -10_000_000, max: 100_000_000 }),
				({ settings: timer, run, now }, later) => {
					// Also for a clock that was set back.
					const elapsed = elapsedMs(timer, run, now + later);
					expect(elapsed).toBeGreaterThanOrEqual(0);
					expect(elapsed).toBeLessThanOrEqual(limit(timer));
				},
			),
			{ numRuns: scaled(1_000) },
		);
	});

	it('resume where they stood, however long they were paused', () => {
		fc.assert(
			fc.property(timers, fc.nat(1e8), (timer, pause) => {
				const frozen = after(timer, { passed: 0, change: { is_running: false } });
				const resumed = after(frozen, { passed: pause, change: { is_running: true } });
				const stood = elapsedMs(timer.settings, timer.run, timer.now);
				expect(elapsedMs(frozen.settings, frozen.run, frozen.now + pause)).toBe(stood);
				expect(elapsedMs(resumed.settings, resumed.run, resumed.now)).toBe(stood);
			}),
			{ numRuns: scaled(500) },
		);
	});

	it('begin anew when their duration is sent, and are left alone when it is not', () => {
		fc.assert(
			fc.property(timers, fc.nat(1e7), (timer, passed) => {
				const reset = after(timer, { passed, change: { duration_seconds: 60 } });
				expect(elapsedMs(reset.settings, reset.run, reset.now)).toBe(0);
				expect(after(timer, { passed, change: {} }).run).toEqual(timer.run);
			}),
			{ numRuns: scaled(500) },
		);
	});

	it('are told to phones in absolute times, the same whenever they are computed', () => {
		fc.assert(
			fc.property(timers, fc.nat(1e8), fc.nat(1e8), ({ settings: timer, run, now }, soon, late) => {
				const [first, second] = [
					shownTimer(timer, run, now + soon),
					shownTimer(timer, run, now + late),
				];
				expect(first.is_running).toBe(runs(timer));
				expect(first.counts_down).toBe(timer.counts_down !== false);
				if (runs(timer)) {
					expect(second.started_at).toBe(first.started_at);
					expect(second.ends_at).toBe(first.ends_at);
				} else {
					expect(first.ends_at).toBeUndefined();
					expect(second.elapsed_seconds).toBe(first.elapsed_seconds);
				}
			}),
			{ numRuns: scaled(1_000) },
		);
	});

	it('tell a start and an end from which a phone computes what the server knows', () => {
		fc.assert(
			fc.property(timers, fc.nat(1e8), ({ settings: timer, run, now }, later) => {
				const at = now + later;
				const shown = shownTimer(timer, run, at);
				const sinceStart = at - Date.parse(shown.started_at);
				// Compared in seconds: a fraction of a second times a thousand need not be whole.
				if (!shown.is_running) return expect(sinceStart / 1_000).toBe(shown.elapsed_seconds);
				expect(Math.min(sinceStart, limit(timer))).toBe(elapsedMs(timer, run, at));
				if (timer.duration_seconds === undefined) return expect(shown.ends_at).toBeUndefined();
				return expect(Date.parse(shown.ends_at!) - Date.parse(shown.started_at)).toBe(
					timer.duration_seconds * 1_000,
				);
			}),
			{ numRuns: scaled(1_000) },
		);
	});
});
