import type { Preferences } from '../../../src/contract/device.ts';
import type { ShownMetric } from '../../../src/contract/shown.ts';
import type { LockScreenState } from '../../device/lock-screen-state.ts';
import { inOrder, moved, shownOrHidden } from '../../device/metric-choice.ts';
import { formatMetric } from '../../device/metric-format.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { CoveringScreen } from './covering-screen.tsx';
import { usePanelError } from './panel-error.tsx';
import { RelativeTime } from './relative-time.tsx';

interface AllMetricsScreenProps {
	state: LockScreenState;
	/** Rejects if the choice cannot be stored. */
	onChoose: (choice: Preferences['metrics']) => Promise<void>;
	onClose: () => void;
}

/** Every metric with its value, to choose which are on the lock screen, and in which order. */
export function AllMetricsScreen({ state, onChoose, onClose }: AllMetricsScreenProps) {
	const { metrics, clockOffset, preferences } = state;
	const { metrics: choice } = preferences;
	const all = inOrder(metrics, choice);
	const [error, follow] = usePanelError();
	return (
		<CoveringScreen title="All metrics" onClose={onClose}>
			<div className="history-list">
				<p className="history-intro">
					The first six that are on and have a value appear on the lock screens of all your phones.
				</p>
				{error}
				<ul>
					{all.map((metric, index) => (
						<Row
							key={metric.key}
							metric={metric}
							clockOffset={clockOffset}
							isShown={!choice.hidden.includes(metric.key)}
							isFirst={index === 0}
							isLast={index === all.length - 1}
							onMove={(by) => follow(onChoose(moved(metrics, choice, metric.key, by)))}
							onShow={(isShown) => follow(onChoose(shownOrHidden(choice, metric.key, isShown)))}
						/>
					))}
				</ul>
			</div>
		</CoveringScreen>
	);
}

interface RowProps {
	metric: ShownMetric;
	clockOffset: number;
	isShown: boolean;
	isFirst: boolean;
	isLast: boolean;
	onMove: (by: -1 | 1) => void;
	onShow: (isShown: boolean) => void;
}

function Row({ metric, clockOffset, isShown, isFirst, isLast, onMove, onShow }: RowProps) {
	const { name, measured_at: at } = metric;
	const { value, unit } = formatMetric(metric);
	return (
		<li className="metric-row" data-metric-row={metric.key}>
			<span className="metric-row-text">
				<strong dir="auto">{name}</strong>
				<span className="metric-row-value">
					{at === null ? (
						'No value yet'
					) : (
						<>
							<bdi>{[value, unit].filter(Boolean).join(' ')}</bdi>
							{' · '}
							<RelativeTime at={at} clockOffset={clockOffset} />
						</>
					)}
				</span>
			</span>
			{/* A disabled button would lose focus at the end of the list. */}
			<button
				type="button"
				className="is-up"
				aria-label={`Move ${name} up`}
				aria-disabled={isFirst}
				onClick={() => !isFirst && onMove(-1)}
			>
				<Glyph name="chevron" />
			</button>
			<button
				type="button"
				aria-label={`Move ${name} down`}
				aria-disabled={isLast}
				onClick={() => !isLast && onMove(1)}
			>
				<Glyph name="chevron" />
			</button>
			<button
				type="button"
				role="switch"
				className="switch"
				aria-label={`Show ${name} on the lock screen`}
				aria-checked={isShown}
				onClick={() => onShow(!isShown)}
			>
				<span className="switch-track" aria-hidden="true" />
			</button>
		</li>
	);
}
