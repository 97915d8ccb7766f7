import { describe, expect, it } from '@jest/globals';
import type { ShownMetric } from '../../src/contract/shown.ts';
import { inOrder, moved, onLockScreen, shownOrHidden } from '../../web/device/metric-choice.ts';

const metric = (key: string, value: number | null = 1): ShownMetric => ({
	key,
	name: key,
	format: 'number',
	unit: null,
	value,
	measured_at: null,
});
const ALL = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => metric(key));
const NONE = { order: [], hidden: [] };
const keys = (metrics: readonly ShownMetric[]) => metrics.map(({ key }) => key).join('');

describe('the metrics on the lock screen', () => {
	it('are two rows at most', () => {
		expect(keys(onLockScreen(ALL, NONE))).toBe('abcdef');
	});

	it('have a value, and are not hidden', () => {
		const metrics = [metric('unset', null), ...ALL];
		expect(keys(onLockScreen(metrics, { order: [], hidden: ['b'] }))).toBe('acdefg');
	});

	it('are in the person’s order, with new ones at the end', () => {
		expect(keys(inOrder(ALL, { order: ['g', 'c', 'no more'], hidden: [] }))).toBe('gcabdef');
	});

	it('move by one place, but not past either end', () => {
		const up = moved(ALL, NONE, 'c', -1);
		expect(keys(inOrder(ALL, up))).toBe('acbdefg');
		expect(keys(inOrder(ALL, moved(ALL, up, 'c', 1)))).toBe('abcdefg');
		expect(moved(ALL, NONE, 'a', -1)).toBe(NONE);
		expect(moved(ALL, NONE, 'g', 1)).toBe(NONE);
	});

	it('can be hidden and shown again', () => {
		const hidden = shownOrHidden(NONE, 'a', false);
		expect(hidden.hidden).toEqual(['a']);
		expect(shownOrHidden(hidden, 'a', true).hidden).toEqual([]);
	});
});
