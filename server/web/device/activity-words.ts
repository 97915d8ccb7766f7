import type { ShownActivity, ShownState } from '../../src/contract/shown.ts';
import { formatNumber, formatPercent, formatShare } from './metric-format.ts';
import { readTimer } from './timer.ts';

/** A Live Activity as one line of text, for places without bars. `now`: the server's time. */
export function activityWords(
	{ content_state: state, dismiss_at }: ShownActivity,
	now: number,
): string {
	const words = [
		dismiss_at === null ? undefined : 'Ended',
		stateWords(state, now, dismiss_at !== null),
		'badge' in state ? state.badge?.title : undefined,
		state.subtitle,
	];
	return words.filter((word) => word !== undefined && word !== '').join(' · ');
}

function stateWords(state: ShownState, now: number, isEnded: boolean): string | undefined {
	switch (state.type) {
		case 'segmented_progress':
			return `Step ${state.current_step} of ${state.number_of_steps}`;
		case 'progress':
			return formatPercent(state.percentage);
		case 'metrics':
		case 'stats':
			return state.metrics
				.map(
					({ label, value, unit }) =>
						`${label} ${valueWords(value, unit)}${unit ? ` ${unit}` : ''}`,
				)
				.join(' · ');
		case 'alert':
			return state.message;
		case 'value':
			return valueWords(state.value);
		case 'timer':
			return timerWords(state, now, isEnded);
		default:
			return undefined;
	}
}

/** A number in the format that its unit asks for. */
export function valueWords(value: number | string, unit?: string): string {
	if (typeof value === 'string') return value;
	return unit?.trim() === '%' ? formatShare(value) : formatNumber(value);
}

/** Text does not tick, so a running timer gives its end or, for a stopwatch, its start. */
function timerWords(
	{ timer }: ShownState & { type: 'timer' },
	now: number,
	isEnded: boolean,
): string {
	const { text, phase } = readTimer(timer, now);
	if (isEnded) return text;
	if (phase === 'done') return 'Time’s up';
	if (phase === 'paused') return `${text}, paused`;
	return timer.ends_at === undefined
		? `Since ${timeOfDay(timer.started_at)}`
		: `Until ${timeOfDay(timer.ends_at)}`;
}

function timeOfDay(at: string): string {
	return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
