import type { ShownState } from '../../../src/contract/shown.ts';
import { tint } from '../colors.ts';
import { formatNumber } from '../metric-format.ts';
import { isNumeric, lengthStyle, textLength } from '../text-length.ts';

type Entry = (ShownState & { type: 'metrics' })['metrics'][number];

interface MetricGridProps {
	entries: Entry[];
	kind: 'metrics' | 'stats';
	color: string | undefined;
}

/** `metrics`: gauges for percentages, otherwise numbers. `stats`: numbers. */
export function MetricGrid({ entries, kind, color }: MetricGridProps) {
	// One size for all, so numbers side by side can be compared.
	const longest = Math.max(
		...entries
			.filter(({ value }) => isNumeric(valueText(value)))
			.map(({ value, unit }) => textLength(valueText(value), unit)),
		1,
	);
	return (
		<dl className={`metric-grid is-${kind}`} data-count={entries.length}>
			{entries.map((entry, index) => (
				<div key={index} className={`metric-entry ${tint(entry.color, color)}`}>
					{kind === 'metrics' && isShare(entry) ? (
						<Ring entry={entry} />
					) : (
						<Figure entry={entry} length={longest} />
					)}
					<dt dir="auto">{entry.label}</dt>
				</div>
			))}
		</dl>
	);
}

function isShare(entry: Entry): entry is Entry & { value: number } {
	return typeof entry.value === 'number' && entry.unit?.trim() === '%' && entry.value <= 100;
}

function valueText(value: number | string): string {
	return typeof value === 'number' ? formatNumber(value) : value;
}

const RADIUS = 20;
const AROUND = 2 * Math.PI * RADIUS;

function Ring({ entry }: { entry: Entry & { value: number } }) {
	return (
		<dd className="ring">
			<svg viewBox="0 0 50 50" aria-hidden="true" focusable="false">
				<circle className="ring-track" cx="25" cy="25" r={RADIUS} />
				<circle
					className="ring-fill"
					cx="25"
					cy="25"
					r={RADIUS}
					strokeDasharray={AROUND}
					style={{ strokeDashoffset: AROUND * (1 - entry.value / 100) }}
				/>
			</svg>
			<span className="ring-value">
				{Math.round(entry.value)}
				<small>%</small>
			</span>
		</dd>
	);
}

function Figure({ entry, length }: { entry: Entry; length: number }) {
	const text = valueText(entry.value);
	return (
		<dd
			className={`figure ${isNumeric(text) ? '' : 'is-text'}`}
			style={lengthStyle(length)}
			dir="auto"
		>
			{text}
			{entry.unit && <small>{entry.unit}</small>}
		</dd>
	);
}
