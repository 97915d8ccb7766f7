import { describe, expect, it } from '@jest/globals';
import { startTestServer } from '../support/server.ts';
import { isOnPostgres } from '../support/store.ts';

describe('parts of long reads', () => {
	it('take turns only if there is a single connection', async () => {
		const server = await startTestServer();
		try {
			const { database } = server.context;
			const started: string[] = [];
			const second = Promise.withResolvers<undefined>();
			const parts = [
				database.readInTurn(async () => {
					started.push('first');
					if (isOnPostgres) await second.promise;
					started.push('first has ended');
				}),
				database.readInTurn(() => {
					started.push('second');
					second.resolve(undefined);
					return Promise.resolve();
				}),
			];
			await Promise.all(parts);
			expect(started.indexOf('second')).toBe(isOnPostgres ? 1 : 2);
		} finally {
			await server.close();
		}
	});

	it('go on after one that failed', async () => {
		const server = await startTestServer();
		try {
			const { database } = server.context;
			const failed = database.readInTurn(() => Promise.reject(new Error('broken')));
			const next = database.readInTurn(() => Promise.resolve('next'));
			await expect(failed).rejects.toThrow('broken');
			expect(await next).toBe('next');
		} finally {
			await server.close();
		}
	});
});
