import type { ShownTimer } from '../../src/contract/shown.ts';

type TimerPhase = 'running' | 'paused' | 'done';

export interface TimerReading {
	text: string;
	phase: TimerPhase;
	/** The share of the duration that has passed, 0 to 1; undefined for a stopwatch without an end. */
	fraction: number | undefined;
}

/**
 * A timer's reading at `now` (milliseconds). Computed from absolute times only, so it needs no
 * network, survives a sleeping laptop and is right if delivered late.
 */
export function readTimer(timer: ShownTimer, now: number): TimerReading {
	const elapsed = Math.max(0, elapsedSeconds(timer, now));
	const duration = timer.duration_seconds;
	const fraction = duration === undefined ? undefined : Math.min(1, elapsed / duration);
	if (!timer.counts_down) {
		return {
			text: clockText(Math.floor(elapsed)),
			phase: timer.is_running ? 'running' : 'paused',
			fraction,
		};
	}
	// At most the whole duration: `now` may be slightly before the server's start time.
	const remaining = Math.min(
		duration ?? Infinity,
		Math.max(0, remainingSeconds(timer, now, elapsed)),
	);
	const phase = remaining === 0 ? 'done' : timer.is_running ? 'running' : 'paused';
	// Rounded up, so 0:00 appears at the end and not a second before it.
	return { text: clockText(Math.ceil(remaining)), phase, fraction };
}

function elapsedSeconds(timer: ShownTimer, now: number): number {
	return timer.is_running ? (now - Date.parse(timer.started_at)) / 1000 : timer.elapsed_seconds;
}

function remainingSeconds(timer: ShownTimer, now: number, elapsed: number): number {
	if (timer.is_running && timer.ends_at !== undefined)
		return (Date.parse(timer.ends_at) - now) / 1000;
	return (timer.duration_seconds ?? 0) - elapsed;
}

/** 0:05, 12:34, 1:02:03 and from two days on 2d 03:04:05. */
export function clockText(totalSeconds: number): string {
	const seconds = two(totalSeconds % 60);
	const minutes = Math.floor(totalSeconds / 60) % 60;
	const hours = Math.floor(totalSeconds / 3600);
	if (hours === 0) return `${minutes}:${seconds}`;
	if (hours < 48) return `${hours}:${two(minutes)}:${seconds}`;
	return `${Math.floor(hours / 24)}d ${two(hours % 24)}:${two(minutes)}:${seconds}`;
}

function two(value: number): string {
	return String(value).padStart(2, '0');
}
