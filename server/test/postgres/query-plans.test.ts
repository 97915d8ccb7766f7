import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { STATEMENTS } from '../../scripts/write-sql.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const DELIVERIES = 20_000;
const AT_ONCE = 1_000;

describe('how PostgreSQL looks for deliveries', () => {
	const statements = readFileSync(join(STATEMENTS, 'outbox.postgres.sql'), 'utf8').split('\n\n');
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
		await server.call('POST', '/push-notification', { title: 'A' });
		const { read } = server.context.database;
		const { message_id, device_id } = await read
			.selectFrom('deliveries')
			.select(['message_id', 'device_id'])
			.executeTakeFirstOrThrow();
		for (let done = 0; done < DELIVERIES; done += AT_ONCE)
			await sql`
				insert into deliveries (message_id, device_id, state, next_attempt_at)
				select ${message_id}::bigint, ${device_id}, 'stored', 0
				from generate_series(1, ${sql.lit(AT_ONCE)})`.execute(read);
		// Statistics that know no pending delivery, as after a quiet night.
		await read
			.updateTable('deliveries')
			.set({ state: 'stored' })
			.where('state', '=', 'pending')
			.execute();
		await sql`vacuum analyze deliveries`.execute(read);
	});
	afterAll(() => server.close());

	/** The plans of a function's statements that match, whatever their values. */
	async function plansOf(name: string, pattern: RegExp): Promise<string[]> {
		const own = statements.filter((text) => text.startsWith(`-- ${name}\n`) && pattern.test(text));
		return server.context.database.read.connection().execute(async (db) => {
			const plans: string[] = [];
			await sql`set plan_cache_mode = force_generic_plan`.execute(db);
			for (const text of own) {
				await sql.raw(`prepare planned as ${text}`).execute(db);
				const count = new Set(text.match(/\$\d+/g)).size;
				const values = Array(count).fill('null').join(', ');
				const { rows } = await sql
					.raw<{ 'QUERY PLAN': string }>(`explain execute planned(${values})`)
					.execute(db);
				plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
				await sql`deallocate planned`.execute(db);
			}
			await sql`reset plan_cache_mode`.execute(db);
			return plans;
		});
	}

	it.each(['markStored', 'markHandedOver', 'recordFailures', 'reschedule', 'markHeld'])(
		'%s finds those whose outcome is recorded by their ids',
		async (name) => {
			const plans = await plansOf(name, /^update "?deliveries\b/m);
			expect(plans.length).toBeGreaterThan(0);
			for (const plan of plans) {
				expect(plan).toContain('deliveries_pkey');
				expect(plan).not.toMatch(/deliveries_due|Seq Scan/);
				// No index is read as a whole.
				expect(plan).not.toMatch(/Index Scan using .*\n\s*Filter/);
			}
		},
	);

	it.each(['deliveryStates', 'deleteHistory'])(
		'%s finds those of an entry by its messages, without statistics too',
		async (name) => {
			const { read } = server.context.database;
			// Such as those of a table that was empty, or of an import that is not analyzed yet.
			await sql`delete from pg_statistic where starelid in ('deliveries'::regclass, 'messages'::regclass)`.execute(
				read,
			);
			const plans = await plansOf(name, /\bdeliveries\b/);
			expect(plans.length).toBeGreaterThan(0);
			for (const plan of plans) {
				expect(plan).toMatch(
					/deliveries_of_message on deliveries.*\n\s*Index Cond: .*message_id = ANY/,
				);
				expect(plan).not.toMatch(/Seq Scan|(Hash|Merge) (Left |Right )?Join/);
			}
		},
	);
});
