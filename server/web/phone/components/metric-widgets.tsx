import { memo, useState } from 'react';
import type { ShownMetric } from '../../../src/contract/shown.ts';
import { formatExactly, formatMetric } from '../../device/metric-format.ts';
import { curve, type Trends } from '../../device/trends.ts';
import { isNumeric, lengthStyle, textLength } from '../text-length.ts';
import { RelativeTime } from './relative-time.tsx';

interface MetricWidgetsProps {
	metrics: ShownMetric[];
	clockOffset: number;
	/** Their latest values, as this phone has seen them. */
	trends?: Trends;
	/** Opens the screen with all metrics; undefined: there are no others. */
	onAll?: (() => void) | undefined;
}

const NO_TRENDS: Trends = {};

/** The lock-screen widgets in a strip under the clock: the newest value of each metric. A tap makes one larger. */
export function MetricWidgets({
	metrics,
	clockOffset,
	trends = NO_TRENDS,
	onAll,
}: MetricWidgetsProps) {
	const [chosen, setChosen] = useState<string>();
	const large = metrics.find(({ key }) => key === chosen);
	if (metrics.length === 0 && !onAll) return null;
	return (
		<section className="widgets" aria-label="Metrics">
			<div className="widget-strip">
				{metrics.map((metric) => (
					<Widget
						key={metric.key}
						metric={metric}
						values={trends[metric.key]}
						clockOffset={clockOffset}
						isChosen={metric === large}
						onChoose={setChosen}
					/>
				))}
				{onAll && (
					<button type="button" className="widget widgets-more" onClick={onAll}>
						All metrics
					</button>
				)}
			</div>
			{large && <LargeWidget metric={large} values={trends[large.key]} clockOffset={clockOffset} />}
		</section>
	);
}

/** Characters of a unit that fits beside its value. */
const SHORT_UNIT = 3;

interface WidgetProps {
	metric: ShownMetric;
	values: Trends[string] | undefined;
	clockOffset: number;
}

const Widget = memo(function Widget({
	metric,
	values,
	clockOffset,
	isChosen,
	onChoose,
}: WidgetProps & { isChosen: boolean; onChoose: (key: string | undefined) => void }) {
	const { value, unit } = formatMetric(metric);
	const isLong = (unit?.length ?? 0) > SHORT_UNIT;
	return (
		<button
			type="button"
			className="widget"
			data-metric={metric.key}
			aria-expanded={isChosen}
			onClick={() => onChoose(isChosen ? undefined : metric.key)}
		>
			<span className="widget-name" dir="auto">
				{metric.name}
			</span>
			{/* A new key starts the animation that marks a changed value. */}
			<span
				className={`widget-value ${isNumeric(value) ? '' : 'is-text'}`}
				key={value}
				dir="auto"
				style={lengthStyle(textLength(value, isLong ? '' : unit))}
			>
				{value}
				{unit && <small className={isLong ? 'is-long' : ''}>{unit}</small>}
			</span>
			<span className="widget-foot">
				<When metric={metric} clockOffset={clockOffset} />
				<Curve values={values} width={28} height={12} />
			</span>
		</button>
	);
});

function When({ metric, clockOffset }: Omit<WidgetProps, 'values'>) {
	if (metric.measured_at === null) return <span className="widget-time">no value yet</span>;
	return <RelativeTime at={metric.measured_at} clockOffset={clockOffset} />;
}

/** The whole value, and its curve as far as this phone has seen it. */
function LargeWidget({ metric, values = [], clockOffset }: WidgetProps) {
	const { name, value, unit } = metric;
	const numbers = values.map(([, number]) => number);
	const range = [Math.min(...numbers), Math.max(...numbers)].map(formatExactly);
	return (
		<div className="widget widget-large">
			<span className="widget-name" dir="auto">
				{name}
			</span>
			<span className="widget-value is-selectable" dir="auto">
				{typeof value === 'number' ? formatExactly(value) : (value ?? '–')} {unit}
			</span>
			<Curve values={values} width={300} height={48} />
			<span className="widget-foot">
				<When metric={metric} clockOffset={clockOffset} />
				{numbers.length > 1 && (
					<span>
						{range.join(' to ')} in {numbers.length.toLocaleString()} values seen here
					</span>
				)}
			</span>
		</div>
	);
}

function Curve({
	values,
	width,
	height,
}: Pick<WidgetProps, 'values'> & { width: number; height: number }) {
	const points = curve(values, { width, height });
	if (points === undefined) return null;
	return (
		<svg
			className="widget-curve"
			viewBox={`-2 -2 ${width + 4} ${height + 4}`}
			preserveAspectRatio="none"
			aria-hidden="true"
			focusable="false"
		>
			<polyline points={points} vectorEffect="non-scaling-stroke" />
		</svg>
	);
}
