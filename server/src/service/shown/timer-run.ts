import type { ShownTimer } from '../../contract/shown.ts';
import { isoTime } from '../context.ts';

/** The sender's settings of a timer (docs/api-decisions.md "Live Activity content"). */
export interface TimerSettings {
	duration_seconds?: number | undefined;
	counts_down?: boolean | undefined;
	is_running?: boolean | undefined;
}

/** The state of a timer's run. Times in milliseconds. */
export interface TimerRun {
	/** Start of the current run; meaningless while paused. */
	started_at: number;
	/** Milliseconds elapsed before the current run. */
	elapsed_ms: number;
}

/** The last moment an RFC 3339 date can express; a longer countdown is shown as ending then. */
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z');

const isRunning = (settings: TimerSettings) => settings.is_running !== false;
const countsDown = (settings: TimerSettings) => settings.counts_down !== false;

/** A timer whose window begins now. */
export function startTimer(now: number): TimerRun {
	return { started_at: now, elapsed_ms: 0 };
}

/** Milliseconds the timer has run; a countdown stops at its duration. */
export function elapsedMs(settings: TimerSettings, run: TimerRun, now: number): number {
	const elapsed = run.elapsed_ms + (isRunning(settings) ? Math.max(0, now - run.started_at) : 0);
	const duration = settings.duration_seconds;
	return countsDown(settings) && duration !== undefined
		? Math.min(elapsed, duration * 1_000)
		: elapsed;
}

/**
 * The timer after an update. Sending `duration_seconds` resets the window; otherwise the timer is left
 * alone, frozen by `is_running: false`, or resumed where it stopped by `true`.
 * @param before the settings before the update
 * @param after the settings with the update merged in
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

/** The timer as the phone shows it: absolute times, so a late delivery still shows the right clock. */
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
