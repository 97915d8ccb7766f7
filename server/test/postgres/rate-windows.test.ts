import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { waitFor } from '../support/wait.ts';
import { server, start, stop } from './support/several-servers.ts';

afterEach(stop);

describe('the windows of customers who share a client address', () => {
	it("do not wait for one customer's window: the shared one is locked last", async () => {
		await start();
		const push = (n: number, key = server(0).account.key) =>
			server(n).call('POST', '/push-notification', { title: 'A' }, { key });
		const other = await server(0).addAccount();
		await push(0);
		await push(0, other.key);
		const { read } = server(0).context.database;
		const waiting = await read.transaction().execute(async (held) => {
			await sql`
				select from rate_windows where key = ${`account:notifications ${server(0).account.id}`}
				for update`.execute(held);
			const late = push(1);
			await waitFor('the request to wait for its window', async () => {
				const { rows } = await sql`select from pg_locks where not granted`.execute(read);
				return rows.length > 0;
			});
			// It has no phone, but is past the limits.
			expect((await push(2, other.key)).status).toBe(422);
			return { late };
		});
		expect((await waiting.late).status).toBe(200);
	});
});
