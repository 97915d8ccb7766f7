import { Text } from '@mantine/core';
import { numberText } from '../locale.ts';

const WIDTH = 220;
const HEIGHT = 56;
const MARGIN = 4;

/** A line of numbers, oldest at the left. The label puts it in words; the picture is for a quick look. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
	if (values.length < 2) return null;
	const low = Math.min(...values);
	const range = Math.max(...values) - low || 1;
	const points = values.map((value, index) => {
		const x = MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * MARGIN);
		const y = HEIGHT - MARGIN - ((value - low) / range) * (HEIGHT - 2 * MARGIN);
		return `${x.toFixed(1)},${y.toFixed(1)}`;
	});
	return (
		<svg
			className="sparkline"
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			preserveAspectRatio="none"
			role="img"
			aria-label={label}
		>
			<polygon points={`${MARGIN},${HEIGHT} ${points.join(' ')} ${WIDTH - MARGIN},${HEIGHT}`} />
			<polyline points={points.join(' ')} />
		</svg>
	);
}

export interface Stack {
	/** The label under the bar. */
	name: string;
	parts: Array<{ kind: string; value: number }>;
}

/** Stacked bars, all to the same scale; the legend has the sums for people who cannot see them. */
export function StackedBars({ stacks, caption }: { stacks: Stack[]; caption: string }) {
	const highest = Math.max(1, ...stacks.map(({ parts }) => sumValues(parts)));
	const width = 960 / stacks.length;
	return (
		<figure className="bars">
			<Text size="xs" c="dimmed">
				{numberText(highest)}
			</Text>
			<svg viewBox="0 0 960 160" preserveAspectRatio="none" role="img" aria-label={caption}>
				{stacks.map(({ parts }, index) => {
					let top = 160;
					return parts.map(({ kind, value }) => {
						const height = (value / highest) * 156;
						top -= height;
						return (
							<rect
								key={`${index} ${kind}`}
								data-kind={kind}
								x={index * width + width * 0.12}
								y={top}
								width={width * 0.76}
								height={height}
							/>
						);
					});
				})}
			</svg>
			<div className="bar-names">
				<span>{stacks[0]?.name}</span>
				<span>{stacks.at(-1)?.name}</span>
			</div>
		</figure>
	);
}

export function sumValues(parts: Array<{ value: number }>): number {
	return parts.reduce((sum, { value }) => sum + value, 0);
}
