import { memo } from 'react';
import type { ShownMetric } from '../../../src/contract/shown.ts';
import { formatMetric } from '../../device/metric-format.ts';
import { isNumeric, lengthStyle, textLength } from '../text-length.ts';
import { RelativeTime } from './relative-time.tsx';

interface MetricWidgetsProps {
	metrics: ShownMetric[];
	clockOffset: number;
}

/** The lock-screen widgets under the clock: the newest value of each metric. */
export function MetricWidgets({ metrics, clockOffset }: MetricWidgetsProps) {
	if (metrics.length === 0) return null;
	return (
		<section className="widgets" data-count={metrics.length} aria-label="Metrics">
			{metrics.map((metric) => (
				<Widget key={metric.key} metric={metric} clockOffset={clockOffset} />
			))}
		</section>
	);
}

/** Characters of a unit that has room beside its value. */
const SHORT_UNIT = 3;

const Widget = memo(function Widget({
	metric,
	clockOffset,
}: {
	metric: ShownMetric;
	clockOffset: number;
}) {
	const { value, unit } = formatMetric(metric);
	const isLong = (unit?.length ?? 0) > SHORT_UNIT;
	const exact =
		metric.value === null ? 'No value yet' : [metric.value, metric.unit].filter(Boolean).join(' ');
	return (
		<div className="widget" data-metric={metric.key} title={`${metric.name}: ${exact}`}>
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
			<span className="widget-time">
				{metric.measured_at === null ? (
					'no value yet'
				) : (
					<RelativeTime at={metric.measured_at} clockOffset={clockOffset} />
				)}
			</span>
		</div>
	);
});
