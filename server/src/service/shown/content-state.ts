import {
	COMMON_FIELDS,
	contentState,
	type ContentState,
	type StreamContentState,
} from '../../contract/content-state.ts';
import type { ShownState, ShownTimer } from '../../contract/shown.ts';
import { requireValid } from '../refusal.ts';
import { isoTime } from '../context.ts';

/** The stored content of an activity. */
export interface ActivityState {
	content: ContentState;
	/** Only for type `timer`. */
	timer?: TimerRun;
	/** Seconds until an ended activity leaves the lock screen, if the sender set them. */
	dismiss_seconds?: number;
	/** The id of the limited key or member that wrote the current text or buttons. */
	by?: string;
}

/** The content state of any request: start, update, end and stream send parts of the same fields. */
export type StateChange = Partial<StreamContentState>;

/** iOS removes an ended activity from the lock screen after four hours at the latest. */
const MAX_DISMISSAL_SECONDS = 240 * 60;

function pick(content: ContentState, names: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(Object.entries(content).filter(([name]) => names.includes(name)));
}

/** Fits the colors of completed steps to a new number of steps: truncates them, or repeats the last one. */
function fittedStepColors(colors: readonly string[], steps: number): readonly string[] | undefined {
	if (colors.length === steps) return colors;
	const last = colors.at(-1);
	if (last === undefined || steps === 0) return undefined;
	return Array.from({ length: steps }, (_, index) => colors[index] ?? last);
}

/**
 * Merges the fields of `change` over those of `previous`, before the rules are checked. A changed type drops
 * the old type's own fields.
 */
function merged(previous: ContentState | undefined, change: StateChange): Record<string, unknown> {
	const { auto_dismiss_minutes: _minutes, auto_dismiss_seconds: _seconds, ...fields } = change;
	const type = change.type ?? previous?.type;
	const kept = !previous ? {} : previous.type === type ? previous : pick(previous, COMMON_FIELDS);
	const state: Record<string, unknown> = { ...kept, ...fields, type };

	const hasValue = (change.value ?? change.upper_limit) !== undefined;
	// A stored percentage would override the value sent now.
	if (type === 'progress' && change.percentage === undefined && hasValue)
		delete state['percentage'];
	const { step_colors: colors, current_step: step } = state;
	if (type === 'segmented_progress' && Array.isArray(colors) && !change.step_colors)
		state['step_colors'] = fittedStepColors(colors as string[], Number(step));
	return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
}

function dismissSecondsIn(change: StateChange): number | undefined {
	if (change.auto_dismiss_seconds !== undefined) return change.auto_dismiss_seconds;
	return change.auto_dismiss_minutes === undefined ? undefined : change.auto_dismiss_minutes * 60;
}

/** Seconds from the end until the activity leaves the lock screen, within iOS's limit. */
export function toDismissSeconds(state: ActivityState, fallback: number): number {
	return Math.min(state.dismiss_seconds ?? fallback, MAX_DISMISSAL_SECONDS);
}

/**
 * Merges a change into the previous state, field by field (docs/api-decisions.md "Live Activity content").
 * @param previous undefined for a start
 * @throws Refusal `invalid` when the merged state breaks a rule of its type
 */
export function changeState(previous: ActivityState | undefined, change: StateChange, now: number) {
	const candidate = merged(previous?.content, change);
	const content = requireValid(contentState, candidate, ['content_state']);
	const dismissSeconds = dismissSecondsIn(change) ?? previous?.dismiss_seconds;
	return {
		content,
		...(content.type === 'timer' && { timer: timerAfter(previous, content, change, now) }),
		...(dismissSeconds !== undefined && { dismiss_seconds: dismissSeconds }),
	} satisfies ActivityState;
}

function timerAfter(
	previous: ActivityState | undefined,
	content: Extract<ContentState, { type: 'timer' }>,
	change: StateChange,
	now: number,
): TimerRun {
	if (previous?.content.type !== 'timer' || !previous.timer) return startTimer(now);
	const isReset = change.duration_seconds !== undefined;
	return changeTimer(previous.content, content, previous.timer, { isReset, now });
}

/** The state of an ended activity. A timer is frozen permanently. */
export function endedState(state: ActivityState, now: number): ActivityState {
	if (state.content.type !== 'timer' || !state.timer) return state;
	const content = { ...state.content, is_running: false };
	const timer = changeTimer(state.content, content, state.timer, { isReset: false, now });
	return { ...state, content, timer };
}

/** The state as a phone shows it. */
export function shownState({ content, timer }: ActivityState, now: number): ShownState {
	switch (content.type) {
		case 'progress': {
			const { value, upper_limit: limit, percentage, ...rest } = content;
			if (percentage !== undefined) return { ...rest, percentage };
			const share = ((value ?? 0) / (limit ?? 1)) * 100;
			return { ...rest, percentage: Math.min(100, Math.max(0, share)), value, upper_limit: limit };
		}
		case 'timer': {
			const { duration_seconds: _time, counts_down: _down, is_running: _run, ...rest } = content;
			return { ...rest, timer: shownTimer(content, timer ?? startTimer(now), now) };
		}
		default:
			return content;
	}
}

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
