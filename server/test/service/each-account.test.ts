import { describe, expect, it } from '@jest/globals';
import { forEachAccount } from '../../src/service/later/later.ts';

const rows = [
	{ account_id: 'a', n: 1 },
	{ account_id: 'b', n: 2 },
	{ account_id: 'a', n: 3 },
];

describe('regular work for several accounts', () => {
	it('is done for each with its own rows', async () => {
		const done: unknown[] = [];
		await forEachAccount(rows, async (id, own) => void done.push([id, own.map(({ n }) => n)]));
		expect(done).toEqual([
			['a', [1, 3]],
			['b', [2]],
		]);
	});

	it('is not delayed for one account by another', async () => {
		const b = Promise.withResolvers<undefined>();
		await forEachAccount(rows, async (id) => {
			if (id === 'a') await b.promise;
			else b.resolve(undefined);
		});
	});

	it('is done for a few at a time, so that requests find a connection to the store', async () => {
		const many = Array.from({ length: 100 }, (_, n) => ({ account_id: `${n}` }));
		let [running, most, done] = [0, 0, 0];
		await forEachAccount(many, async () => {
			running += 1;
			most = Math.max(most, running);
			await new Promise((resolve) => setImmediate(resolve));
			running -= 1;
			done += 1;
		});
		expect([most, done]).toEqual([5, 100]);
	});

	it('reports failures once it has ended for all', async () => {
		const done: string[] = [];
		const work = forEachAccount(rows, async (id) => {
			if (id === 'a') throw new Error('a failed');
			await new Promise((resolve) => setImmediate(resolve));
			done.push(id);
		});
		await expect(work).rejects.toMatchObject({
			message: 'Failed for 1 of 2 accounts',
			errors: [{ message: 'a failed' }],
		});
		expect(done).toEqual(['b']);
	});
});
