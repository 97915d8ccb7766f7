import type { ShownTimer } from '../contract/shown.ts';
import { isoTime } from './context.ts';

/** What a sender sets (docs/api-decisions.md "Live Activity content"). */
export interface TimerSettings {
	duration_seconds?: number | undefined;
	counts_down?: boolean | undefined;
	is_running?: boolean | undefined;
}

/** How a timer has run so far. Times in milliseconds. */
export interface TimerRun {
	/** When the present stretch of running began; meaningless while paused. */
	started_at: number;
	/** What had elapsed before the present stretch. */
	elapsed_ms: number;
}

/** The last moment that an RFC 3339 date can name; a longer countdown is shown as ending then. */
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z');

const isRunning = (settings: TimerSettings) => settings.is_running !== false;
const countsDown = (settings: TimerSettings) => settings.counts_down !== false;

/** A timer whose window begins now. */
export function startTimer(now: number): TimerRun {
	return { started_at: now, elapsed_ms: 0 };
}

/** Milliseconds that the timer has run; a countdown stops at its duration. */
export function elapsedMs(settings: TimerSettings, run: TimerRun, now: number): number {
	const elapsed = run.elapsed_ms + (isRunning(settings) ? Math.max(0, now - run.started_at) : 0);
	const duration = settings.duration_seconds;
	return countsDown(settings) && duration !== undefined
		? Math.min(elapsed, duration * 1_000)
		: elapsed;
}

/**
 * The timer after an update: sending `duration_seconds` resets the window; otherwise it is left
 * alone, frozen by `is_running: false`, and resumed where it stood by `true`.
 * @param before the settings until now
 * @param after  the settings with the update merged in
 */
export function changeTimer(
	before: TimerSettings,
	after: TimerSettings,
	run: TimerRun,
	{ isReset, now }: { isReset: boolean; now: number },
): TimerRun {
	if (isReset) return startTimer(now);
	if (isRunning(before) === isRunning(after)) return run;
	return { started_at: now, elapsed_ms: elapsedMs(before, run, now) };
}

/** What a phone is told: absolute times, so that a late delivery shows the right clock. */
export function shownTimer(settings: TimerSettings, run: TimerRun, now: number): ShownTimer {
	const elapsed = elapsedMs(settings, run, now);
	const running = isRunning(settings);
	const startedAt = running ? run.started_at - run.elapsed_ms : now - elapsed;
	const duration = settings.duration_seconds;
	return {
		is_running: running,
		counts_down: countsDown(settings),
		started_at: isoTime(startedAt),
		...(running &&
			duration !== undefined && {
				ends_at: isoTime(Math.min(startedAt + duration * 1_000, LAST_DATE_MS)),
			}),
		elapsed_seconds: elapsed / 1_000,
		...(duration !== undefined && { duration_seconds: duration }),
	};
}
