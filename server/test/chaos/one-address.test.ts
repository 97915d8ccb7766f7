import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { readConfig } from '../../src/config.ts';
import { createContext } from '../../src/assembly.ts';
import { COMMAND_LINE } from '../../src/service/audit.ts';
import { createWorld, type World } from '../faults/support/world.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { waitFor } from '../support/wait.ts';
import { Customer, FEATURES } from './support/customer.ts';
import { Fleet } from './support/fleet.ts';
import { LimitProbe } from './support/limit-probe.ts';

const SERVERS = 3;
const CUSTOMERS = 12;

/** Of each feature, for the one address: more than the customers send while a server is replaced. */
const ALLOWANCE = 2_000;

let cluster: Cluster;
let world: World;
let fleet: Fleet;
let customers: Customer[];
beforeAll(async () => {
	cluster = await startCluster();
	await cluster.createDatabase('beckon');
	world = await createWorld(0, 0, {
		databaseUrl: cluster.urlOf('beckon'),
		address: () => fleet.address(),
		settings: {
			BECKON_RATE_WINDOW_SECONDS: '3600',
			BECKON_RATE_PER_ADDRESS: String(ALLOWANCE),
			BECKON_RATE_PER_DEVICE: '100000',
		},
	});
	fleet = new Fleet(SERVERS, () => world.startAnother());
	const context = {
		...createContext({
			config: readConfig({}),
			database: world.database,
			onError: (error) => {
				throw error;
			},
		}),
		actor: COMMAND_LINE,
	};
	customers = [];
	for (let n = 0; n < CUSTOMERS; n += 1)
		customers.push(await Customer.create(context, `customer ${n}`, () => world.url));
});
afterAll(async () => {
	await fleet.close();
	await world.close();
	await cluster.remove();
});

describe('three servers behind a proxy, which gives every customer one address, killed in turn', () => {
	it('lose and repeat nothing, meet no deadlock, and let exactly the allowance through', async () => {
		const probes = FEATURES.map((feature) => new LimitProbe(`public-api-ip:${feature}`));
		const statuses = new Map<number | undefined, number>();
		const answered = () => (statuses.get(200) ?? 0) + (statuses.get(429) ?? 0);
		const goesOn = async (what: string) => {
			const before = answered();
			await waitFor(`requests that are answered ${what}`, () => answered() > before + 200);
		};
		let isOver = false;
		const load = async (customer: Customer, place: number) => {
			while (!isOver) {
				const status = await customer.send(FEATURES[place]!, probes[place]!);
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		};
		await fleet.start();
		const loads = customers.flatMap((customer) =>
			FEATURES.map((_, place) => load(customer, place)),
		);
		try {
			await goesOn('at first');
			for (let index = 0; index < SERVERS; index += 1) {
				expect(await fleet.restart(index, 'SIGKILL')).toBe('SIGKILL');
				await goesOn(`after server ${index} was killed`);
			}
			await waitFor('the allowances to be used up', () =>
				probes.every(({ refused }) => refused > 0),
			);
		} finally {
			isOver = true;
			await Promise.all(loads);
		}
		await waitFor('all deliveries', async () => (await world.pending()) === 0);

		const told = [...statuses].map(([status, count]) => `${count} × ${status ?? 'unanswered'}`);
		process.stdout.write(`${told.join(', ')}\n`);
		expect(new Set([...statuses.keys(), undefined])).toEqual(new Set([200, 429, undefined]));
		for (const probe of probes) probe.holdLimit(ALLOWANCE);
		for (const customer of customers) await customer.holdPromises();
		expect(await deadlocks()).toBe(0);
	});
});

/** Deadlocks that PostgreSQL has ended in the database; the servers repeat such transactions. */
async function deadlocks(): Promise<number> {
	const { rows } = await sql<{ deadlocks: number }>`
		select deadlocks::integer from pg_stat_database where datname = current_database()`.execute(
		world.database.read,
	);
	return rows[0]?.deadlocks ?? NaN;
}
