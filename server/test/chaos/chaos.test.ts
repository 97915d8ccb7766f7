import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMMAND_LINE } from '../../src/service/audit.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { createContext } from '../../src/assembly.ts';
import { readConfig } from '../../src/config.ts';
import { allEndsArrived, holdPromises } from '../faults/support/promises.ts';
import { REPEATED, Sender } from '../faults/support/sender.ts';
import { createWorld, type World } from '../faults/support/world.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { waitFor } from '../support/wait.ts';
import { Fleet } from './support/fleet.ts';
import { LimitProbe } from './support/limit-probe.ts';

const SERVERS = 3;
const STREAMS = 4;

/** More than one second's worth, and far less than requested. */
const METRIC_ALLOWANCE = 400;

let cluster: Cluster;
let world: World;
let fleet: Fleet;
beforeAll(async () => {
	cluster = await startCluster();
	await cluster.createDatabase('beckon');
	world = await createWorld(2, 2, {
		databaseUrl: cluster.urlOf('beckon'),
		address: () => fleet.address(),
		settings: {
			BECKON_RATE_WINDOW_SECONDS: '3600',
			BECKON_RATE_METRICS: String(METRIC_ALLOWANCE),
		},
	});
	fleet = new Fleet(SERVERS, () => world.startAnother());
	const { database } = world;
	const context = createContext({ config: readConfig({}), database, onError: () => undefined });
	await createMetric({ ...context, actor: COMMAND_LINE }, world.accountId, {
		key: 'load',
		name: 'Load',
		format: 'number',
	});
});
afterAll(async () => {
	await fleet.close();
	await world.close();
	await cluster.remove();
});

describe('three servers on one database, killed in turn under load, and the database restarted', () => {
	it('lose nothing that was accepted, exceed no limit, and run one activity a stream', async () => {
		let isOver = false;
		const until = async (work: (round: number) => Promise<unknown>) => {
			for (let round = 1; !isOver; round += 1) {
				await work(round);
				// Enough load to be hit in the middle of it, and no more.
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		};
		const [pusher, badger, repeater, ...streamers] = Array.from(
			{ length: 3 + STREAMS },
			(_, n) => new Sender(world, `sender ${n}`),
		);
		const senders = [pusher!, badger!, repeater!, ...streamers];
		const probe = new LimitProbe('account:metrics');
		const setMetric = () =>
			fetch(`${world.url}/api/metrics/load/value`, {
				method: 'POST',
				headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
				body: JSON.stringify({ value: 1 }),
				signal: AbortSignal.timeout(20_000),
			});
		await fleet.start();
		const load = [
			until(() => pusher!.push()),
			until(() => badger!.badge()),
			until(() => repeater!.repeat()),
			until(endMinutes),
			...streamers.map((sender, index) =>
				until((round) =>
					round % 15 === 0 ? sender.end(`stream-${index}`) : sender.update(`stream-${index}`),
				),
			),
			...Array.from({ length: 4 }, () => until(() => probe.ask(setMetric))),
		];
		const answered = () => senders.reduce((sum, sender) => sum + sender.answered, 0);
		const goesOn = async (what: string) => {
			const before = answered();
			await waitFor(`requests that are answered ${what}`, () => answered() > before + 40);
		};

		try {
			await goesOn('at first');
			for (let index = 0; index < SERVERS; index += 1) {
				expect(await fleet.restart(index, 'SIGKILL')).toBe('SIGKILL');
				await goesOn(`after server ${index} was killed`);
			}
			await cluster.halt('fast');
			await cluster.resume();
			await goesOn('after the database was restarted');
			for (let index = 0; index < SERVERS; index += 1) {
				expect(await fleet.restart(index, 'SIGTERM')).toBe(0);
				await goesOn(`after server ${index} was replaced`);
			}
			await waitFor('the allowance to be used up', () => probe.refused > 0);
		} finally {
			isOver = true;
			await Promise.all(load);
		}
		await waitFor('the last repeats', async () => (await endMinutes()) === 0);
		await waitFor('all deliveries', async () => (await world.pending()) === 0);
		await waitFor('the ends that wait for tokens', () => allEndsArrived(world, senders));

		const unanswered = senders.reduce((sum, sender) => sum + sender.unanswered, 0);
		process.stdout.write(
			`${answered()} answered 200, ${unanswered} unanswered; of ${METRIC_ALLOWANCE} metric values ` +
				`${probe.remaining.length} answered 200, ${probe.unanswered} unanswered, ${probe.refused} refused\n`,
		);
		holdPromises(world, senders);
		await holdStore();
		await holdRepeats(repeater!);
		probe.holdLimit(METRIC_ALLOWANCE);
	});
});

/** Makes every running repeat due now, instead of in a minute. @returns the number of them */
async function endMinutes(): Promise<number> {
	try {
		const { numUpdatedRows } = await world.database.write(null, (db) =>
			db
				.updateTable('repeats')
				.set({ next_at: 0 })
				.where('ended_at', 'is', null)
				.executeTakeFirstOrThrow(),
		);
		await new Promise((resolve) => setTimeout(resolve, 200));
		return Number(numUpdatedRows);
	} catch {
		// The database is being restarted.
		return -1;
	}
}

/** Checks that every repeat was made as often as it was asked for, on each phone, and none after its end. */
async function holdRepeats({ repeats }: Sender): Promise<void> {
	const rows = await world.database.read
		.selectFrom('repeats')
		.innerJoin('deliveries', 'deliveries.message_id', 'repeats.message_id')
		.select(['repeats.id', 'repeats.end_reason', 'repeats.times_left', 'deliveries.device_id'])
		.select(({ fn }) => fn.countAll<number | string>().as('count'))
		.groupBy(['repeats.id', 'repeats.end_reason', 'repeats.times_left', 'deliveries.device_id'])
		.execute();
	const made = rows.map((row) => Number(row.count) + row.times_left);
	expect(made).toEqual(made.map(() => 1 + REPEATED));
	const ends = new Map(rows.map(({ id, end_reason: end }) => [id, end]));
	expect(repeats.size).toBeGreaterThan(0);
	for (const [id, possible] of repeats) expect(possible).toContain(ends.get(id));
}

/** Checks the database itself: one activity per stream, and nothing failed. */
async function holdStore(): Promise<void> {
	const { read } = world.database;
	const running = await read
		.selectFrom('activities')
		.select(['stream_key', ({ fn }) => fn.countAll().as('count')])
		.where('ended_at', 'is', null)
		.groupBy('stream_key')
		.execute();
	expect(running.filter(({ count }) => Number(count) > 1)).toEqual([]);
	const failed = await read
		.selectFrom('deliveries')
		.select(['id', 'last_error'])
		.where('state', '=', 'failed')
		.execute();
	expect(failed).toEqual([]);
}
