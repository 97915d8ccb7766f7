import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** More than a transaction records. */
const PHONES = 2_500;
const MOST = 1_000;

const total = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);

describe('the outcomes of a push to many phones', () => {
	let server: TestServer;
	let gateway: SteeredGateway;
	beforeEach(async () => {
		gateway = new SteeredGateway();
		server = await startTestServer({ gateway: gateway.before });
		const { database } = server.context;
		const { id, ...phone } = await database.read
			.selectFrom('devices')
			.selectAll()
			.where('id', '=', server.phone.id)
			.executeTakeFirstOrThrow();
		await database.write(null, async (db) => {
			for (let first = 1; first < PHONES; first += 500)
				await db
					.insertInto('devices')
					.values(
						Array.from({ length: Math.min(500, PHONES - first) }, (_, n) => ({
							...phone,
							id: `${id}-${first + n}`,
							token_hash: `hash-${first + n}`,
						})),
					)
					.execute();
		});
	});
	afterEach(() => server.close());

	/** The number of deliveries whose lease has ended. */
	async function countRecorded(): Promise<number> {
		const { rows } = await sql<{ count: number }>`
			select count(*) as count from deliveries where leased_until is null`.execute(
			server.context.database.read,
		);
		return rows[0]?.count ?? 0;
	}

	/** Sends a push to all phones. @returns how many deliveries each transaction has recorded */
	async function recordedTogether(outcome: Outcome): Promise<number[]> {
		const { database } = server.context;
		const sizes: number[] = [];
		let recorded = await countRecorded();
		const write = database.write.bind(database);
		const spy = jest.spyOn(database, 'write').mockImplementation(async (accountId, job) => {
			const value = await write(accountId, job);
			const now = await countRecorded();
			sizes.push(now - recorded);
			recorded = now;
			return value;
		});
		gateway.answer = () => outcome;
		await server.call('POST', '/push-notification', { title: 'To all' });
		// Not the stored count alone: the last transaction is counted after it is stored.
		await waitFor('the outcomes', () => total(sizes) === PHONES);
		spy.mockRestore();
		return sizes.filter((size) => size > 0);
	}

	it.each<Outcome>([
		{ kind: 'stored' },
		{ kind: 'retry', reason: 'APNs answered 503' },
		{ kind: 'gone', reason: 'unregistered' },
		{ kind: 'refused', reason: 'too large' },
	])('are recorded in sets of at most 1,000: $kind', async (outcome) => {
		const sizes = await recordedTogether(outcome);
		expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST);
	});

	it('are each recorded as they are, those of a set together', async () => {
		const { database } = server.context;
		const ids = Array.from({ length: 6 }, (_, n) =>
			n === 0 ? server.phone.id : `${server.phone.id}-${n}`,
		);
		const outcomes: Outcome[] = [
			{ kind: 'handed_over' },
			{ kind: 'retry', reason: 'busy' },
			{ kind: 'gone', reason: 'unregistered' },
			{ kind: 'refused', reason: 'too large' },
			{ kind: 'no_token', reason: 'no token' },
			{ kind: 'gone', reason: 'unregistered', since: 0 },
		];
		await database.write(null, (db) =>
			db
				.updateTable('devices')
				.set({ push_registered_at: 1 })
				.where('id', '=', ids[5] ?? '')
				.execute(),
		);
		gateway.answer = ({ device }) => outcomes[ids.indexOf(device.id)];
		await server.call('POST', '/push-notification', { title: 'To all' });
		await waitFor('the outcomes', async () => (await countRecorded()) === PHONES);
		const deliveries = await database.read
			.selectFrom('deliveries')
			.innerJoin('devices', 'devices.id', 'deliveries.device_id')
			.select(['device_id', 'state', 'attempts', 'last_error', 'next_attempt_at', 'status'])
			.where('device_id', 'in', ids)
			.orderBy('deliveries.id')
			.execute();
		const byPhone = ids.map((id) => deliveries.find(({ device_id }) => device_id === id));
		expect(byPhone).toMatchObject([
			{ state: 'handed_over', attempts: 0, last_error: null, status: 'active' },
			{ state: 'pending', attempts: 1, last_error: 'busy', status: 'active' },
			{ state: 'failed', attempts: 1, last_error: 'unregistered', status: 'disconnected' },
			{ state: 'failed', attempts: 1, last_error: 'too large', status: 'active' },
			{ state: 'failed', attempts: 1, last_error: 'no token', status: 'active' },
			// It has registered again since then.
			{ state: 'pending', attempts: 1, last_error: 'unregistered', status: 'active' },
		]);
		for (const place of [1, 5])
			expect(byPhone[place]?.next_attempt_at).toBeGreaterThan(server.clock.now);
	});
});
