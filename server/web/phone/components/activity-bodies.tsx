import type { ShownState, ShownTimer } from '../../../src/contract/shown.ts';
import { valueWords } from '../../device/activity-words.ts';
import { tint } from '../colors.ts';
import { useNow } from '../hooks/use-now.ts';
import { formatExactly, formatPercent } from '../../device/metric-format.ts';
import { isNumeric } from '../text-length.ts';
import { type TimerReading, readTimer } from '../../device/timer.ts';
import { MetricGrid, Value } from './metric-grid.tsx';
import { RichText } from './rich-text.tsx';

interface StateProps {
	state: ShownState;
	isEnded: boolean;
	clockOffset: number;
}

/** The large value on the right of the card's head. */
export function ActivityHeadline({ state, isEnded, clockOffset }: StateProps) {
	switch (state.type) {
		case 'progress':
			return <span className="headline">{formatPercent(state.percentage)}</span>;
		case 'value':
			return (
				<span
					className="headline is-selectable"
					dir="auto"
					data-numeric={isNumeric(valueWords(state.value))}
				>
					<Value value={state.value} />
				</span>
			);
		case 'segmented_progress':
			return (
				<span className="headline is-small">
					{state.current_step}
					<span className="headline-of">/{state.number_of_steps}</span>
				</span>
			);
		case 'timer':
			return <TimerHeadline timer={state.timer} isEnded={isEnded} clockOffset={clockOffset} />;
		default:
			return null;
	}
}

/** The body below the head: steps, bars, numbers or text. */
export function ActivityBody({ state, isEnded, clockOffset }: StateProps) {
	switch (state.type) {
		case 'segmented_progress':
			return <Segments state={state} isEnded={isEnded} />;
		case 'progress':
			return <Progress state={state} />;
		case 'metrics':
		case 'stats':
			return <MetricGrid entries={state.metrics} kind={state.type} color={state.color} />;
		case 'alert':
			return (
				<p className="activity-message is-selectable" dir="auto">
					<RichText text={state.message} />
				</p>
			);
		case 'timer':
			return <TimerBar timer={state.timer} clockOffset={clockOffset} />;
		default:
			return null;
	}
}

/** Any more are too thin to tell apart, so they become one bar. */
const MAX_SEGMENTS = 24;

interface SegmentsProps {
	state: ShownState & { type: 'segmented_progress' };
	isEnded: boolean;
}

function Segments({ state, isEnded }: SegmentsProps) {
	const { number_of_steps: steps, current_step: current, step_color, step_colors, color } = state;
	const label = `Step ${current} of ${steps}`;
	if (steps > MAX_SEGMENTS) {
		return <Bar fraction={current / steps} label={label} className={tint(step_color, color)} />;
	}
	return (
		<div
			className="segments"
			role="progressbar"
			aria-label={label}
			aria-valuemin={0}
			aria-valuemax={steps}
			aria-valuenow={current}
		>
			{Array.from({ length: steps }, (_, index) => {
				const isNext = index === current && !isEnded;
				const progress = index < current ? 'done' : isNext ? 'next' : 'open';
				return (
					<span
						key={index}
						className={`segment ${tint(step_colors?.[index], step_color, color)}`}
						data-progress={progress}
					/>
				);
			})}
		</div>
	);
}

function Progress({ state }: { state: ShownState & { type: 'progress' } }) {
	const { percentage, value, upper_limit } = state;
	return (
		<>
			<Bar fraction={percentage / 100} label={formatPercent(percentage)} />
			{value !== undefined && upper_limit !== undefined && (
				<p className="bar-note">
					{formatExactly(value)} of {formatExactly(upper_limit)}
				</p>
			)}
		</>
	);
}

function useTimer(timer: ShownTimer, clockOffset: number): TimerReading {
	return readTimer(timer, useNow() + clockOffset);
}

interface TimerProps {
	timer: ShownTimer;
	isEnded: boolean;
	clockOffset: number;
}

function TimerHeadline({ timer, isEnded, clockOffset }: TimerProps) {
	const { text, phase } = useTimer(timer, clockOffset);
	const isPaused = phase === 'paused' && !isEnded;
	return (
		<span className="headline is-timer" role="timer" data-phase={isPaused ? 'paused' : phase}>
			{text}
			{isPaused && <span className="headline-note">Paused</span>}
			{phase === 'done' && !isEnded && <span className="headline-note">Time’s up</span>}
		</span>
	);
}

function TimerBar({ timer, clockOffset }: Omit<TimerProps, 'isEnded'>) {
	const { fraction, phase, text } = useTimer(timer, clockOffset);
	if (fraction === undefined) return null;
	return (
		<Bar
			fraction={timer.counts_down ? 1 - fraction : fraction}
			label={timer.counts_down ? `${text} left` : `${text} passed`}
			className={phase === 'running' ? 'is-ticking' : ''}
		/>
	);
}

interface BarProps {
	fraction: number;
	label: string;
	className?: string;
}

/** Moved by a transform, so a tick costs the browser neither layout nor paint. */
function Bar({ fraction, label, className = '' }: BarProps) {
	const filled = Math.max(0, Math.min(1, fraction));
	return (
		<div
			className={`bar ${className}`}
			role="progressbar"
			aria-label={label}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuenow={filled * 100}
			aria-valuetext={formatPercent(filled * 100)}
		>
			<div className="bar-fill" style={{ transform: `translateX(${(filled - 1) * 100}%)` }} />
		</div>
	);
}
