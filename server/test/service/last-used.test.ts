import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { LastUsed } from '../../src/service/requests/last-used.ts';
import type { Database } from '../../src/store/database.ts';
import { startTestServer } from '../support/server.ts';

/** Longer than an idle server takes to close, in milliseconds. */
const SLOW_WRITE_MS = 200;

describe('the time at which a key was last used', () => {
	it('is stored before the server has closed its store', async () => {
		const server = await startTestServer();
		const { database } = server.context;
		const events: string[] = [];
		const write = database.write.bind(database);
		jest.spyOn(database, 'write').mockImplementationOnce(async (account, work) => {
			await setTimeout(SLOW_WRITE_MS);
			const result = await write(account, work);
			events.push('stored');
			return result;
		});
		const answer = await server.call('DELETE', '/live-activity/stream/none', {});
		expect(answer.status).toBe(404);
		await server.close();
		events.push('closed');
		expect(events).toEqual(['stored', 'closed']);
	});

	it('is stored for a few phones at a time, though all of them come back at once', async () => {
		let [writing, most, done] = [0, 0, 0];
		const write = async () => {
			writing += 1;
			most = Math.max(most, writing);
			await setImmediate();
			writing -= 1;
			done += 1;
		};
		const lastUsed = new LastUsed({
			database: { write } as unknown as Database,
			now: () => 0,
			onError: (error) => {
				throw error;
			},
		});
		for (let phone = 0; phone < 100; phone += 1)
			lastUsed.note(`${phone}`, null, () => Promise.resolve());
		await lastUsed.idle();
		expect([most, done]).toEqual([4, 100]);
	});
});
