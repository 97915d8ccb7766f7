import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { waitFor } from '../support/wait.ts';
import { startTestServer } from '../support/server.ts';
import { server, start, stop } from './support/several-servers.ts';

describe('a window that was opened under a setting for longer windows', () => {
	it.each([
		[20, 'is over once the present setting says so', { r: 1, t: 10 }],
		[4, 'goes on until the present setting says so', { r: 0, t: 6 }],
	])('%i s later %s', async (seconds, _what, rest) => {
		const quota = { BECKON_RATE_NOTIFICATIONS: '2' };
		const first = await startTestServer({
			settings: { ...quota, BECKON_RATE_WINDOW_SECONDS: '60' },
		});
		const push = (of = first) => of.call('POST', '/push-notification', { title: 'A' });
		await push();
		first.clock.advance(seconds);
		const next = await startTestServer({
			beside: first,
			settings: { ...quota, BECKON_RATE_WINDOW_SECONDS: '10' },
		});
		const { status, headers } = await push(next);
		expect(status).toBe(200);
		expect(String(headers['ratelimit'])).toContain(
			`"account:notifications";r=${rest.r};t=${rest.t}`,
		);
		await next.close();
		await first.close();
	});
});

describe('the windows of customers who share a client address', () => {
	afterEach(stop);

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
