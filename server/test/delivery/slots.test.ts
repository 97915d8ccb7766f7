import { describe, expect, it } from '@jest/globals';
import { Slots } from '../../src/delivery/slots.ts';

/** Takes a slot for each job, in the order in which they begin. @returns the begun jobs' names */
function queue(
	slots: Slots,
	jobs: ReadonlyArray<readonly [group: number, name: string]>,
): string[] {
	const begun: string[] = [];
	for (const [group, name] of jobs) slots.take(group, () => begun.push(name));
	return begun;
}

describe('slots', () => {
	it('should let no more jobs run at a time than there are', () => {
		const slots = new Slots(2);
		const begun = queue(slots, [
			[1, 'a'],
			[1, 'b'],
			[1, 'c'],
		]);
		expect(begun).toEqual(['a', 'b']);
		slots.give();
		expect(begun).toEqual(['a', 'b', 'c']);
	});

	it('should be given to the groups in turn, within a group to who came first', () => {
		const slots = new Slots(1);
		const big = Array.from({ length: 4 }, (_, index) => [1, `big ${index}`] as const);
		const begun = queue(slots, [...big, [2, 'small'], [3, 'other 0'], [3, 'other 1']]);
		for (let given = 0; given < 7; given += 1) {
			slots.give();
		}
		expect(begun).toEqual(['big 0', 'big 1', 'small', 'other 0', 'big 2', 'other 1', 'big 3']);
	});

	it('should be free again after a burst', () => {
		const slots = new Slots(1);
		for (let burst = 0; burst < 2; burst += 1) {
			const begun = queue(slots, [
				[1, 'a'],
				[1, 'b'],
			]);
			for (let given = 0; given < 2; given += 1) {
				slots.give();
			}
			expect(begun).toEqual(['a', 'b']);
		}
	});
});
