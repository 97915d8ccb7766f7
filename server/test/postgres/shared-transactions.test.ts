import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';
import { server, start, stop, withStatus } from './support/several-servers.ts';

afterEach(stop);

/** Holds a write of the first account open until released. */
async function writingAt(at: TestServer): Promise<() => Promise<void>> {
	const write = new EventEmitter();
	const elsewhere = at.context.database.write(server(0).account.id, async () => {
		write.emit('begun');
		await once(write, 'release');
	});
	await once(write, 'begun');
	return async () => {
		write.emit('release');
		await elsewhere;
	};
}

describe('a write that waits too long for that of another server', () => {
	it('is refused with 503, and leaves nothing behind that later ones meet', async () => {
		await start();
		const push = () => server(0).call('POST', '/push-notification', { title: 'a', badge: 1 });
		const release = await writingAt(server(1));
		const refused = push();
		// PostgreSQL does this by itself after four seconds.
		const { read } = server(1).context.database;
		await waitFor('the wait to be cancelled', async () => {
			const { rows } = await sql<{ cancelled: boolean }>`
				select pg_cancel_backend(pid) as cancelled from pg_stat_activity
				where datname = current_database() and wait_event = 'advisory'`.execute(read);
			return rows.some(({ cancelled }) => cancelled);
		});
		expect((await refused).status).toBe(503);
		await release();
		for (let n = 0; n < 12; n += 1) expect((await push()).status).toBe(200);
		expect(await server(0).phone.inbox()).toHaveLength(12);
	});
});

describe('pushes of several accounts that share a transaction', () => {
	it('do not wait for an account that another server is writing for', async () => {
		await start();
		const other = await server(0).addAccount();
		await server(0).pairPhone({ account: other.id });
		const push = (key?: string) =>
			server(0).call(
				'POST',
				'/push-notification',
				{ title: 'a' },
				key === undefined ? {} : { key },
			);
		const release = await writingAt(server(1));
		const waiting = [push(), push()];
		const answers = await within(
			'pushes of the other account',
			Promise.all([push(other.key), push(other.key)]),
		);
		expect(withStatus(answers, 200)).toBe(2);
		expect(await server(0).phone.inbox()).toHaveLength(0);
		await release();
		expect(withStatus(await Promise.all(waiting), 200)).toBe(2);
		expect(await server(0).phone.inbox()).toHaveLength(2);
	});

	it('are each refused alone', async () => {
		await start();
		const without = await server(0).addAccount();
		const answers = await Promise.all(
			Array.from({ length: 30 }, (_, n) =>
				server(0).call(
					'POST',
					'/push-notification',
					{ title: `${n}` },
					n % 3 === 0 ? { key: without.key } : {},
				),
			),
		);
		expect([withStatus(answers, 422), withStatus(answers, 200)]).toEqual([10, 20]);
		expect(await server(0).phone.inbox()).toHaveLength(20);
	});
});
