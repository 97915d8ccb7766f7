import { afterEach, describe, expect, it } from '@jest/globals';
import { scheduleEvery, type RegularWork } from '../../src/regular-work.ts';
import { waitFor } from '../support/wait.ts';

describe('regular work', () => {
	let work: RegularWork | undefined;
	afterEach(() => work?.stop());

	it.each<[string, () => unknown]>([
		[
			'throws',
			() => {
				throw new Error('Once');
			},
		],
		['rejects', () => Promise.reject(new Error('Once'))],
	])('that %s is reported, and done again', async (_what, fail) => {
		const reported: unknown[] = [];
		let runs = 0;
		const once = () => {
			runs += 1;
			return runs === 1 ? fail() : undefined;
		};
		work = scheduleEvery(1, 'work', once, (error, what) => reported.push([error, what]));
		await waitFor('another run', () => runs >= 3);
		expect(reported).toEqual([[new Error('Once'), 'work']]);
	});

	it('pauses twice as long after each failure in a row', async () => {
		const failedAt: number[] = [];
		const fail = () => {
			failedAt.push(performance.now());
			throw new Error('Always');
		};
		work = scheduleEvery(8, 'work', fail, () => undefined);
		await waitFor('five failures', () => failedAt.length === 5);
		const pauses = failedAt.slice(1).map((at, place) => at - failedAt[place]!);
		for (const [place, pause] of pauses.entries())
			expect(pause).toBeGreaterThanOrEqual(8 * 2 ** (place + 1) - 1);
	});
});
