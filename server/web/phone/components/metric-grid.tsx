import type { ShownState } from '../../../src/contract/shown.ts';
import { valueWords } from '../../device/activity-words.ts';
import { tint } from '../colors.ts';
import { formatShare } from '../../device/metric-format.ts';
import { isNumeric, lengthStyle } from '../text-length.ts';
import { RichText } from './rich-text.tsx';

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
		...entries.map(valueText).map((text) => (isNumeric(text) ? text.length : 1)),
	);
	return (
		<dl
			className={`metric-grid is-${kind}`}
			data-count={entries.length}
			style={lengthStyle(longest)}
		>
			{entries.map((entry, index) => (
				<div key={index} className={`metric-entry ${tint(entry.color, color)}`}>
					{kind === 'metrics' && isShare(entry) ? <Ring entry={entry} /> : <Figure entry={entry} />}
					<dt dir="auto">{entry.label}</dt>
				</div>
			))}
		</dl>
	);
}

/** Characters that fit in a gauge. */
const IN_RING = 5;

function isShare({ value, unit }: Entry): boolean {
	return (
		typeof value === 'number' &&
		unit?.trim() === '%' &&
		value >= 0 &&
		value <= 100 &&
		formatShare(value).length <= IN_RING
	);
}

const valueText = ({ value, unit }: Entry) => valueWords(value, unit);

const RADIUS = 22;
const AROUND = 2 * Math.PI * RADIUS;

function Ring({ entry }: { entry: Entry }) {
	const share = Number(entry.value);
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
					style={{ strokeDashoffset: AROUND * (1 - share / 100) }}
				/>
			</svg>
			<span className="ring-value" style={lengthStyle(formatShare(share).length)}>
				{formatShare(share)}
				<small>%</small>
			</span>
		</dd>
	);
}

function Figure({ entry }: { entry: Entry }) {
	const text = valueText(entry);
	return (
		<>
			<dd className={`figure is-selectable ${isNumeric(text) ? '' : 'is-text'}`} dir="auto">
				<Value {...entry} />
			</dd>
			{entry.unit && (
				<dd className="figure-unit" dir="auto">
					{entry.unit}
				</dd>
			)}
		</>
	);
}

/** A number in the format that its unit asks for, or a text, in which links open and codes are copied. */
export function Value({ value, unit }: Pick<Entry, 'value' | 'unit'>) {
	return typeof value === 'string' ? <RichText text={value} /> : valueWords(value, unit);
}
