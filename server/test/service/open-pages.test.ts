import { describe, expect, it } from '@jest/globals';
import { OpenPages } from '../../src/open-pages.ts';
import { waitFor } from '../support/wait.ts';

describe('open pages, when anything may have changed', () => {
	it('look in turns, not all at once; those closed meanwhile do not', async () => {
		const pages = new OpenPages(() => undefined);
		const looked: string[] = [];
		const close = Array.from({ length: 200 }, (_, n) =>
			pages.subscribe({
				deviceId: `dev-${n}`,
				accountId: 'acc',
				notify: (change) => looked.push(`${n} ${change}`),
			}),
		);
		pages.watch('acc', () => looked.push('console'));
		pages.remoteChange('everything');
		expect(looked).toEqual([]);
		close[7]?.();
		looked.length = 0;
		await waitFor('all to look', () => looked.length === 200);
		expect(new Set(looked).size).toBe(200);
		expect(looked).not.toContain('7 all');
		expect(looked).toContain('console');
		// In order, all would have looked at once.
		const phones = looked.filter((one) => one !== 'console').map((one) => parseInt(one, 10));
		expect(phones).not.toEqual(phones.toSorted((a, b) => a - b));
	});
});
