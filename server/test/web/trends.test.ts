import { describe, expect, it } from '@jest/globals';
import type { ShownMetric } from '../../src/contract/shown.ts';
import { curve, withValues } from '../../web/device/trends.ts';

const metric = (value: ShownMetric['value'], seconds: number | null): ShownMetric => ({
	key: 'k',
	name: 'n',
	format: 'number',
	unit: null,
	value,
	measured_at: seconds === null ? null : new Date(seconds * 1_000).toISOString(),
});

describe('how a metric went', () => {
	it('has each measured number once, the newest last', () => {
		let trends = withValues({}, [metric(1, 1)]);
		expect(withValues(trends, [metric(1, 1)])).toBe(trends);
		expect(withValues(trends, [metric(0, 0)])).toBe(trends);
		trends = withValues(trends, [metric('2.5', 2)]);
		expect(trends).toEqual({
			k: [
				[1_000, 1],
				[2_000, 2.5],
			],
		});
	});

	it('leaves out what is no number', () => {
		const nothing = {};
		for (const value of [null, '', 'passing'])
			expect(withValues(nothing, [metric(value, 1)])).toBe(nothing);
		expect(withValues(nothing, [metric(1, null)])).toBe(nothing);
	});

	it('is of the recent past', () => {
		let trends = {};
		for (let n = 1; n <= 100; n += 1) trends = withValues(trends, [metric(n, n)]);
		const { k } = trends as { k: Array<[number, number]> };
		expect(k).toHaveLength(32);
		expect(k.at(-1)).toEqual([100_000, 100]);
	});

	it('is drawn from the left to the right, as high as its box', () => {
		const box = { width: 20, height: 10 };
		expect(
			curve(
				[
					[0, 5],
					[1, 10],
					[2, 0],
				],
				box,
			),
		).toBe('0.0,5.0 10.0,0.0 20.0,10.0');
		expect(
			curve(
				[
					[0, 5],
					[1, 5],
				],
				box,
			),
		).toBe('0.0,5.0 20.0,5.0');
		expect(curve([[0, 5]], box)).toBeUndefined();
		expect(curve(undefined, box)).toBeUndefined();
	});
});
