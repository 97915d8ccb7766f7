import { describe, expect, it } from '@jest/globals';
import { Slots } from '../../src/slots.ts';

/** Takes slots for each burst. @returns the items in the order they began */
function queue(slots: Slots<string>, bursts: ReadonlyArray<readonly string[]>): string[] {
	const begun: string[] = [];
	for (const items of bursts) slots.take(items, (item) => begun.push(item));
	return begun;
}

describe('slots', () => {
	it('let no more items be worked on at a time than there are slots', () => {
		const slots = new Slots<string>(2);
		const begun = queue(slots, [['a', 'b', 'c']]);
		expect(begun).toEqual(['a', 'b']);
		slots.release();
		expect(begun).toEqual(['a', 'b', 'c']);
	});

	it('go to the bursts in turn, and within a burst in order of arrival', () => {
		const slots = new Slots<string>(1);
		const big = Array.from({ length: 4 }, (_, index) => `big ${index}`);
		const begun = queue(slots, [big, ['small'], ['other 0', 'other 1']]);
		for (let given = 0; given < 7; given += 1) slots.release();
		expect(begun).toEqual(['big 0', 'big 1', 'small', 'other 0', 'big 2', 'other 1', 'big 3']);
	});

	it('begin only some items in a turn of the event loop, and the others in the next ones', async () => {
		const slots = new Slots<string>(Infinity, 2);
		const begun = queue(slots, [
			['a', 'b', 'c'],
			['d', 'e'],
		]);
		expect(begun).toEqual(['a', 'b']);
		slots.release();
		expect(begun).toEqual(['a', 'b']);
		await new Promise((resolve) => setImmediate(resolve));
		expect(begun).toEqual(['a', 'b', 'c', 'd']);
		await new Promise((resolve) => setImmediate(resolve));
		expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
	});

	it('are free again after a burst', () => {
		const slots = new Slots<string>(1);
		for (let burst = 0; burst < 2; burst += 1) {
			const begun = queue(slots, [['a', 'b']]);
			for (let given = 0; given < 2; given += 1) slots.release();
			expect(begun).toEqual(['a', 'b']);
		}
	});
});
