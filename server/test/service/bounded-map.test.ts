import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from '../../src/collections.ts';

describe('a map with a limit', () => {
	it('lets the oldest entry go for a further one', () => {
		const map = new BoundedMap<string, number>(2);
		map.set('a', 1).set('b', 2).set('a', 3);
		expect([...map]).toEqual([
			['a', 3],
			['b', 2],
		]);
		map.set('c', 4);
		expect([...map]).toEqual([
			['b', 2],
			['c', 4],
		]);
	});

	it('makes a value once, until it has let it go', () => {
		const made: string[] = [];
		const map = new BoundedMap<string, string>(1);
		const get = (key: string) =>
			map.getOr(key, () => {
				made.push(key);
				return key.toUpperCase();
			});
		expect([get('a'), get('a'), get('b'), get('a')]).toEqual(['A', 'A', 'B', 'A']);
		expect(made).toEqual(['a', 'b', 'a']);
	});
});
