import type { ShownState } from '../../../src/contract/shown.ts';
import { tint } from '../colors.ts';
import { formatNumber } from '../metric-format.ts';

type Entry = (ShownState & { type: 'metrics' })['metrics'][number];

interface MetricGridProps {
	entries: Entry[];
	kind: 'metrics' | 'stats';
	color: string | undefined;
}

/** `metrics`: gauges for percentages, otherwise numbers. `stats`: numbers. */
export function MetricGrid({ entries, kind, color }: MetricGridProps) {
	return (
		<dl
			className={`metric-grid is-${kind}`}
			data-count={entries.length}
			data-size={sizeOf(entries)}
		>
			{entries.map((entry, index) => (
				<div key={index} className={`metric-entry ${tint(entry.color, color)}`}>
					{kind === 'metrics' && isShare(entry) ? <Ring entry={entry} /> : <Figure entry={entry} />}
					<dt title={entry.label}>{entry.label}</dt>
				</div>
			))}
		</dl>
	);
}

/** One size for all, set by the longest, so numbers side by side can be compared. */
function sizeOf(entries: Entry[]): 'large' | 'medium' | 'small' {
	const longest = Math.max(
		...entries.map(({ value, unit = '' }) => valueText(value).length + unit.length / 2),
	);
	return longest > 8 ? 'small' : longest > 5 ? 'medium' : 'large';
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

function Figure({ entry }: { entry: Entry }) {
	return (
		<dd className="figure">
			{valueText(entry.value)}
			{entry.unit && <small>{entry.unit}</small>}
		</dd>
	);
}
