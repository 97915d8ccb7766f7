import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
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
});
