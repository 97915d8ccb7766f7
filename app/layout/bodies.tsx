import { HStack, ProgressView, Spacer, Text, VStack } from '@expo/ui/swift-ui';
import {
	fixedSize,
	font,
	foregroundStyle,
	lineLimit,
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
import { isCrowded, type Props, type Scheme, SECONDARY, Segments, Words } from './parts.tsx';

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
	const looks = [
		font({ size, weight: 'bold', design: 'rounded' }),
		monospacedDigit(),
		lineLimit(1),
		minimumScaleFactor(0.5),
	];
	switch (state.type) {
		case 'progress':
			return <Text modifiers={[...looks, fixedSize()]}>{formatPercent(state.percentage)}</Text>;
		case 'value':
			return <Text modifiers={looks}>{valueWords(state.value)}</Text>;
		case 'segmented_progress':
			return (
				<Text modifiers={[...looks, fixedSize()]}>
					{`${state.current_step}/${state.number_of_steps}`}
				</Text>
			);
		case 'timer':
			return <Timer state={state} isEnded={isEnded} looks={looks} />;
		default:
			return null;
	}
}

type TimerState = Props & { type: 'timer' };

/** The instants between which a running timer moves; undefined for one that stands still. */
function rangeOf({ timer }: TimerState): { lower: Date; upper: Date } | undefined {
	if (!timer.is_running) return undefined;
	const lower = new Date(timer.started_at);
	const end =
		timer.ends_at ??
		(timer.counts_down ? undefined : Date.parse(timer.started_at) + STOPWATCH_END_MS);
	const upper = new Date(end ?? NaN);
	return lower < upper ? { lower, upper } : undefined;
}

/** Ticks by itself while it runs. */
function Timer({
	state,
	isEnded,
	looks,
}: {
	state: TimerState;
	isEnded: boolean;
	looks: Modifiers;
}) {
	const { timer } = state;
	const range = isEnded ? undefined : rangeOf(state);
	const { text, phase } = readTimer(timer, Date.now());
	// The system's ticking text takes all the width there is, and aligns its digits in it.
	const aligned = [...looks, multilineTextAlignment('trailing' as const)];
	return (
		<VStack alignment="trailing" spacing={0}>
			{range && phase === 'running' ? (
				<Text timerInterval={range} countsDown={timer.counts_down} modifiers={aligned} />
			) : (
				<Text modifiers={looks}>{text}</Text>
			)}
			{phase === 'paused' && !isEnded ? <Note>Paused</Note> : null}
			{phase === 'done' && !isEnded ? <Note>Time’s up</Note> : null}
		</VStack>
	);
}

type Modifiers = NonNullable<Parameters<typeof Text>[0]['modifiers']>;

const Note = ({ children }: { children: string }) => (
	<Words size={12} style={SECONDARY}>
		{children}
	</Words>
);

function Bar({ value, color }: { value: number; color: string }) {
	const filled = Math.max(0, Math.min(1, value));
	return <ProgressView value={filled} modifiers={[progressViewStyle('linear'), tint(color)]} />;
}

/** The body below the head: steps, bars, numbers or text. */
export function Body({ view }: { view: View }): ReactNode {
	const { state, scheme } = view;
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
		case 'progress':
			return (
				<VStack spacing={4} alignment="leading">
					<Bar value={state.percentage / 100} color={color} />
					{state.value !== undefined && state.upper_limit !== undefined ? (
						<Note>{`${formatExactly(state.value)} of ${formatExactly(state.upper_limit)}`}</Note>
					) : null}
				</VStack>
			);
		case 'metrics':
		case 'stats':
			return <Metrics state={state} scheme={scheme} />;
		case 'alert':
			return <Words lines={isCrowded(state) ? 1 : 3}>{state.message}</Words>;
		case 'timer': {
			const range = view.isEnded ? undefined : rangeOf(state);
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

function Metrics({
	state,
	scheme,
}: {
	state: Props & { type: 'metrics' | 'stats' };
	scheme: Scheme;
}) {
	const columns = COLUMNS[state.type];
	const shown = state.metrics.slice(
		0,
		columns * ROWS[state.type][isCrowded(state) ? 'crowded' : 'free'],
	);
	const rows = Array.from({ length: Math.ceil(shown.length / columns) }, (_, row) =>
		shown.slice(row * columns, (row + 1) * columns),
	);
	return (
		<VStack spacing={5} alignment="leading">
			{rows.map((row, index) => (
				<HStack key={index} spacing={14} alignment="firstTextBaseline">
					{row.map((entry, column) => (
						<Entry
							key={column}
							entry={entry}
							scheme={scheme}
							type={state.type}
							color={state.color}
						/>
					))}
				</HStack>
			))}
			{state.metrics.length > shown.length && !isCrowded(state) ? (
				<Note>{`${state.metrics.length - shown.length} more in the app`}</Note>
			) : null}
		</VStack>
	);
}

interface EntryProps {
	entry: { label: string; value: number | string; unit?: string; color?: string };
	type: 'metrics' | 'stats';
	scheme: Scheme;
	color: string | undefined;
}

/** One number: over its label, or beside it in a list. */
function Entry({ entry, type, scheme, color }: EntryProps) {
	const { label, value, unit } = entry;
	const number = (
		<Text
			modifiers={[
				font({ size: type === 'metrics' ? 20 : 15, weight: 'semibold', design: 'rounded' }),
				lineLimit(1),
				minimumScaleFactor(0.6),
				foregroundStyle(colorOf(scheme, entry.color, color)),
			]}
		>
			{[valueWords(value, unit), unit].filter(Boolean).join(' ')}
		</Text>
	);
	if (type === 'metrics')
		return (
			<VStack spacing={0} alignment="leading">
				{number}
				<Note>{label}</Note>
			</VStack>
		);
	return (
		<HStack spacing={6}>
			<Note>{label}</Note>
			<Spacer />
			{number}
		</HStack>
	);
}
