import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { beginWithPauses } from '../../src/http/turns.ts';

/** Holds the event loop. */
function spin(milliseconds: number): void {
	const end = performance.now() + milliseconds;
	while (performance.now() < end);
}

describe('work that holds the event loop', () => {
	it('is done in order, and leaves the loop free for several times as long', async () => {
		const withPauses = beginWithPauses(3);
		const begun: number[] = [];
		const work = async (n: number) => {
			begun.push(performance.now());
			spin(20);
			return n;
		};
		let turns = 0;
		const all = Promise.all([1, 2, 3].map((n) => withPauses(() => work(n))));
		let isOver = false;
		void all.then(() => (isOver = true));
		for (; !isOver; turns += 1) await nextTurn();

		expect(await all).toEqual([1, 2, 3]);
		// A timer may be a millisecond early.
		for (const [index, time] of begun.slice(1).entries())
			expect(time - begun[index]!).toBeGreaterThanOrEqual(20 + 3 * 20 - 1);
		expect(turns).toBeGreaterThan(3);
	});

	it('does not keep the next from its turn when it fails', async () => {
		const withPauses = beginWithPauses(3);
		const failing = withPauses(() => Promise.reject(new Error('no picture')));
		const next = withPauses(() => Promise.resolve('picture'));
		await expect(failing).rejects.toThrow('no picture');
		expect(await next).toBe('picture');
	});
});
