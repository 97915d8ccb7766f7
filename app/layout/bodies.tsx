import { HStack, ProgressView, Spacer, Text, VStack } from '@expo/ui/swift-ui';
import {
	fixedSize,
	foregroundStyle,
	minimumScaleFactor,
	monospacedDigit,
	multilineTextAlignment,
	progressViewStyle,
	tint,
} from '@expo/ui/swift-ui/modifiers';
import type { ReactNode } from 'react';
import { valueWords } from '../../server/web/device/activity-words.ts';
import { formatExactly, formatPercent } from '../../server/web/device/metric-format.ts';
import { readTimer } from '../../server/web/device/timer.ts';
import { colorOf } from './colors.ts';
import {
	figure,
	isBrief,
	isCrowded,
	type Modifier,
	Note,
	type Props,
	type Scheme,
	Segments,
	Words,
} from './parts.tsx';

export interface View {
	state: Props;
	scheme: Scheme;
	isEnded: boolean;
	isStale: boolean;
}

/** As many entries as fit beside each other, and into the 160 points that iOS shows. */
const ROWS = { metrics: { free: 2, crowded: 1 }, stats: { free: 3, crowded: 1 } };
const COLUMNS = { metrics: 4, stats: 2 };

/** More parts than these are too thin to tell apart, and become one bar. */
const MAX_SEGMENTS = 24;

/** A stopwatch stops here; iOS ends a Live Activity long before. */
const STOPWATCH_END_MS = 48 * 3_600_000;

/** The large value on the right of the head; null for types without one. */
export function headlineOf({ state, isEnded }: View, size: number): ReactNode {
	const looks = [...figure(size), monospacedDigit()];
	const whole = [...looks, fixedSize()];
	switch (state.type) {
		case 'progress':
			return <Text modifiers={whole}>{formatPercent(state.percentage)}</Text>;
		case 'value':
			return <Text modifiers={looks}>{valueWords(state.value)}</Text>;
		case 'segmented_progress':
			return <Text modifiers={whole}>{`${state.current_step}/${state.number_of_steps}`}</Text>;
		case 'timer':
			return clockOf(state, isEnded, looks);
		default:
			return null;
	}
}

type TimerState = Props & { type: 'timer' };

/** The start and end of a running timer; undefined for one that stands still. */
function rangeOf({ timer }: TimerState): { lower: Date; upper: Date } | undefined {
	if (!timer.is_running) return undefined;
	const lower = new Date(timer.started_at);
	const longest = timer.counts_down ? NaN : Date.parse(timer.started_at) + STOPWATCH_END_MS;
	const upper = new Date(timer.ends_at ?? longest);
	return lower < upper ? { lower, upper } : undefined;
}

/** Ticks by itself while it runs. */
function clockOf(state: TimerState, isEnded: boolean, looks: Modifier[]): ReactNode {
	const { timer } = state;
	const range = isEnded ? undefined : rangeOf(state);
	const { text, phase } = readTimer(timer, Date.now());
	const words = { running: undefined, paused: 'Paused', done: 'Time’s up' }[phase];
	// The system's ticking text takes all the width there is, and aligns its digits in it.
	const aligned = [...looks, multilineTextAlignment('trailing')];
	return (
		<VStack alignment="trailing" spacing={0}>
			{range && phase === 'running' ? (
				<Text timerInterval={range} countsDown={timer.counts_down} modifiers={aligned} />
			) : (
				<Text modifiers={looks}>{text}</Text>
			)}
			<Note text={isEnded ? undefined : words} />
		</VStack>
	);
}

function Bar({ value, color }: { value: number; color: string }) {
	const filled = Math.max(0, Math.min(1, value));
	return <ProgressView value={filled} modifiers={[progressViewStyle('linear'), tint(color)]} />;
}

/** The body below the head: steps, bars, numbers or text. */
export function bodyOf({ state, scheme, isEnded }: View): ReactNode {
	const color = colorOf(scheme, state.color);
	switch (state.type) {
		case 'segmented_progress': {
			const { number_of_steps: steps, current_step: current, step_color, step_colors } = state;
			if (steps > MAX_SEGMENTS)
				return <Bar value={current / steps} color={colorOf(scheme, step_color, state.color)} />;
			const colors = Array.from({ length: steps }, (_, index) =>
				index < current
					? colorOf(scheme, step_colors?.[index], step_color, state.color)
					: undefined,
			);
			return <Segments colors={colors} />;
		}
		case 'progress': {
			const { value, upper_limit: limit } = state;
			const isCounted = value !== undefined && limit !== undefined;
			return (
				<VStack spacing={4} alignment="leading">
					<Bar value={state.percentage / 100} color={color} />
					<Note
						text={isCounted ? `${formatExactly(value)} of ${formatExactly(limit)}` : undefined}
					/>
				</VStack>
			);
		}
		case 'metrics':
		case 'stats':
			return <Metrics state={state} scheme={scheme} />;
		case 'alert':
			return (
				<Words
					text={state.message}
					lines={isBrief(state) || !isCrowded(state) ? 3 : 1}
					more={[minimumScaleFactor(0.75)]}
				/>
			);
		case 'timer': {
			const range = isEnded ? undefined : rangeOf(state);
			const { fraction } = readTimer(state.timer, Date.now());
			const { counts_down: countsDown } = state.timer;
			if (fraction === undefined) return null;
			if (!range || fraction >= 1)
				return <Bar value={countsDown ? 1 - fraction : fraction} color={color} />;
			return (
				<ProgressView timerInterval={range} countsDown={countsDown} modifiers={[tint(color)]} />
			);
		}
		default:
			return null;
	}
}

type MetricsState = Props & { type: 'metrics' | 'stats' };

function Metrics({ state, scheme }: { state: MetricsState; scheme: Scheme }) {
	const { type, metrics } = state;
	const columns = COLUMNS[type];
	const most = columns * ROWS[type][isCrowded(state) ? 'crowded' : 'free'];
	const shown = metrics.slice(0, most);
	const rows = Array.from({ length: Math.ceil(shown.length / columns) }, (_, row) =>
		shown.slice(row * columns, (row + 1) * columns),
	);
	const missing = isCrowded(state) ? 0 : metrics.length - shown.length;
	return (
		<VStack spacing={5} alignment="leading">
			{rows.map((row, index) => (
				<HStack key={index} spacing={14} alignment="firstTextBaseline">
					{row.map((entry, column) => (
						<Entry key={column} entry={entry} state={state} scheme={scheme} />
					))}
				</HStack>
			))}
			<Note text={missing > 0 ? `${missing} more in the app` : undefined} />
		</VStack>
	);
}

interface EntryProps {
	entry: MetricsState['metrics'][number];
	state: MetricsState;
	scheme: Scheme;
}

/** One number, above its label or, in a list, beside it. */
function Entry({ entry, state, scheme }: EntryProps) {
	const { label, value, unit } = entry;
	const isList = state.type === 'stats';
	const color = foregroundStyle(colorOf(scheme, entry.color, state.color));
	const number = (
		<Text modifiers={[...figure(isList ? 15 : 20, 'semibold'), color]}>
			{[valueWords(value, unit), unit].filter(Boolean).join(' ')}
		</Text>
	);
	if (isList)
		return (
			<HStack spacing={6}>
				<Note text={label} />
				<Spacer />
				{number}
			</HStack>
		);
	return (
		<VStack spacing={0} alignment="leading">
			{number}
			<Note text={label} />
		</VStack>
	);
}
