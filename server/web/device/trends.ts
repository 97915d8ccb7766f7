import type { ShownMetric } from '../../src/contract/shown.ts';

/** By the key of a metric: when it was measured, in milliseconds, and its value; the newest last. */
export type Trends = Readonly<Record<string, ReadonlyArray<readonly [at: number, value: number]>>>;

/** The most values that a small curve can show. */
const MAX_VALUES = 32;

/** Adds the values that were measured since. @returns the same object if there are none */
export function withValues(trends: Trends, metrics: readonly ShownMetric[]): Trends {
	const added = metrics.flatMap(({ key, value, measured_at: measuredAt }) => {
		const known = trends[key] ?? [];
		const at = Date.parse(measuredAt ?? '');
		const number = value === null || value === '' ? Number.NaN : Number(value);
		const isNew = Number.isFinite(number) && at > (known.at(-1)?.[0] ?? -Infinity);
		return isNew ? [[key, [...known, [at, number] as const].slice(-MAX_VALUES)] as const] : [];
	});
	return added.length === 0 ? trends : { ...trends, ...Object.fromEntries(added) };
}

/** The corners of a curve in a box, as an SVG polyline takes them; undefined for less than two values. */
export function curve(
	values: Trends[string] | undefined,
	{ width, height }: { width: number; height: number },
): string | undefined {
	if (values === undefined || values.length < 2) return undefined;
	const numbers = values.map(([, value]) => value);
	const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
	const step = width / (values.length - 1);
	// Values that do not change are a line in the middle.
	const y = (value: number) =>
		most === least ? height / 2 : height - ((value - least) / (most - least)) * height;
	return numbers.map((value, at) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
}
