import type { Preferences } from '../../src/contract/device.ts';
import type { ShownMetric } from '../../src/contract/shown.ts';

/** The most metrics that a strip shows with little scrolling. */
const MAX_ON_SCREEN = 6;

/** All metrics, in the person's order; those without a place follow in the server's order. */
export function inOrder(
	metrics: readonly ShownMetric[],
	{ order }: Preferences['metrics'],
): ShownMetric[] {
	const place = new Map(order.map((key, index) => [key, index]));
	const placeOf = ({ key }: ShownMetric) => place.get(key) ?? Infinity;
	// Infinity minus Infinity is NaN: those stay as they are.
	return metrics.toSorted((a, b) => placeOf(a) - placeOf(b) || 0);
}

/** The metrics on the lock screen: those with a value that the person has not hidden, as many as a strip has room for. */
export function onLockScreen(
	metrics: readonly ShownMetric[],
	choice: Preferences['metrics'],
): ShownMetric[] {
	const hidden = new Set(choice.hidden);
	return inOrder(metrics, choice)
		.filter(({ key, value }) => value !== null && !hidden.has(key))
		.slice(0, MAX_ON_SCREEN);
}

/** Moves a metric up or down among all of them. */
export function moved(
	metrics: readonly ShownMetric[],
	choice: Preferences['metrics'],
	key: string,
	by: -1 | 1,
): Preferences['metrics'] {
	const order = inOrder(metrics, choice).map((metric) => metric.key);
	const from = order.indexOf(key);
	const to = from + by;
	const other = order[to];
	if (from < 0 || other === undefined) return choice;
	order[to] = key;
	order[from] = other;
	return { ...choice, order };
}

/** Hides a metric from the lock screen, or shows it there. */
export function shownOrHidden(
	choice: Preferences['metrics'],
	key: string,
	isShown: boolean,
): Preferences['metrics'] {
	const others = choice.hidden.filter((one) => one !== key);
	return { ...choice, hidden: isShown ? others : [...others, key] };
}
