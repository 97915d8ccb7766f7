import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { median } from '../../../bench/node/statistics.ts';
import { openDatabase } from '../../src/store/open.ts';
import type { Db } from '../../src/store/schema.ts';
import { startCluster } from '../../test/support/postgres-cluster.ts';
import { waitFor } from '../../test/support/wait.ts';
import { type Beckon, startBeckon } from '../api/contestants/beckon.ts';
import { table, whole } from '../api/report.ts';
import { keyOf, seedAccounts } from '../api/seed.ts';
import { Services } from '../delivery/services.ts';
import { Bystander } from './bystander.ts';
import { feel, type Figures, HEADER, heldBy, LOOP_DELAY, toReport } from './figures.ts';
import { MANY_PHONES, PAGES } from './open-pages.ts';
import { LOGS_SLOW, watchStatements } from './slow-statements.ts';

const WARM_UP_SECONDS = 2;
const MANY = 100_000;

/** Length of the measurement with waiting listeners. */
const LISTENING_MS = 10_000;

/** A server with what a scenario needs, and a second account. */
interface World {
	server: Beckon;
	/** Reads the store of the server. */
	read: Db;
}

interface Scenario {
	phones: number;
	/** Half of the phones are iPhones, the others have a subscription; otherwise none has a push service. */
	hasServices?: boolean;
	/** Prepares the outage. @returns a function that begins it, and resolves when it is over */
	prepare: (world: World) => Promise<() => Promise<unknown>>;
	/** True if each measurement has an outage of its own, because it is short; otherwise one lasts for several. */
	isShort?: boolean;
}

/** What may hold up everybody. */
const SCENARIOS: Record<string, Scenario> = {
	'all open pages reconnect': {
		phones: MANY_PHONES.phones,
		isShort: true,
		async prepare({ server }) {
			const pages = await startClients('reconnecting-pages.ts', server.url);
			return () => told(pages, 'reconnect');
		},
	},
	'500 triggers are listened to': {
		phones: 1,
		async prepare({ server }) {
			await startClients('listeners.ts', server.url);
			return () => setTimeout(LISTENING_MS);
		},
	},
	'500 triggers are tapped': {
		phones: 1,
		isShort: true,
		async prepare({ server }) {
			const listeners = await startClients('listeners.ts', server.url);
			return () => told(listeners, 'tap');
		},
	},
	'APNs and Web Push answer 503': {
		phones: MANY,
		hasServices: true,
		prepare: (world) => afterPush(world, 'attempts = 0'),
	},
	'`stored` is recorded': {
		phones: MANY,
		prepare: (world) => afterPush(world, 'true'),
	},
};

export const OUTAGES = Object.keys(SCENARIOS);

/** Starts clients in a process of their own, and waits until they are connected. */
async function startClients(file: string, url: string): Promise<ChildProcess> {
	const clients = fork(join(import.meta.dirname, file), [url], { execArgv: ['--no-warnings'] });
	await answered(clients);
	// They end with this process, which does not wait for them.
	clients.unref();
	clients.channel?.unref();
	return clients;
}

/** Tells the clients to do something, and waits until they have done it. */
async function told(clients: ChildProcess, what: string): Promise<void> {
	clients.send(what);
	await answered(clients);
}

async function answered(clients: ChildProcess): Promise<void> {
	const ended = once(clients, 'exit').then(([code]) => {
		throw new Error(`The clients ended with ${String(code)}`);
	});
	// They end well after the last wait.
	ended.catch(() => undefined);
	await Promise.race([once(clients, 'message'), ended]);
}

/** Whether any delivery has no outcome yet. Looks for one: counting all would slow down what is measured. */
async function hasPending(db: Db, condition: string): Promise<boolean> {
	const { rows } = await sql`
		select 1 from deliveries
		where state = 'pending' and ${sql.raw(condition)} and device_id >= 'dev_2_' and device_id < 'dev_2_~'
		limit 1`.execute(db);
	return rows.length > 0;
}

/**
 * Sends a push to all phones, which is stored when the response arrives. The outage is over once the outcome of every
 * first attempt is recorded.
 * @param pending the condition for deliveries without an outcome
 */
async function afterPush(
	{ server, read }: World,
	pending: string,
): Promise<() => Promise<unknown>> {
	const answer = await fetch(`${server.url}/api/push-notification`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${keyOf(MANY_PHONES.first)}`,
			'content-type': 'application/json',
		},
		body: JSON.stringify({ title: 'To all' }),
	});
	if (!answer.ok) throw new Error(await answer.text());
	return async () => {
		const isOver = async () => {
			await setTimeout(500);
			return !(await hasPending(read, pending));
		};
		await waitFor('the outcomes', isOver);
	};
}

/**
 * Measures how long outages of phones and push services hold the event loop, and how they affect another account.
 * @returns the report
 */
export async function measureOutages(
	names: readonly string[],
	stores: readonly string[],
	{ seconds, rounds }: { seconds: number; rounds: number },
): Promise<string> {
	const rows: string[][] = [];
	const verdicts: string[] = [];
	for (const store of stores) {
		for (const name of names) {
			const { idle, during, took, slow } = await measure(name, store, { seconds, rounds });
			const { row, verdict } = toReport(`${name}, ${store}`, took, idle, during);
			rows.push(row);
			verdicts.push(verdict, ...slow.map((one) => `- ${name}: ${one}`));
		}
	}
	return `${whole(PAGES)} open pages; otherwise ${whole(MANY)} phones.\n\n${table(HEADER, rows)}\n\n${verdicts.join('\n')}`;
}

async function measure(
	name: string,
	store: string,
	{ seconds, rounds }: { seconds: number; rounds: number },
): Promise<{ idle: Figures[]; during: Figures[]; took: number; slow: string[] }> {
	const { phones, hasServices = false, prepare, isShort = false } = SCENARIOS[name] as Scenario;
	const cluster = store === 'postgres' ? await startCluster(LOGS_SLOW) : undefined;
	await cluster?.createDatabase('bench');
	const url = cluster?.urlOf('bench') ?? '';
	const services = hasServices ? await Services.start() : undefined;
	await services?.fail();
	const server = await startBeckon(
		async (write) => {
			await write((db) => seedAccounts(db, { first: 0, accounts: 2, phones: 1 }));
			await write((db) => seedAccounts(db, { ...MANY_PHONES, phones }));
			if (services) await write((db) => register(db, services));
		},
		url,
		undefined,
		{
			...services?.settings,
			NODE_OPTIONS: `--no-warnings --import ${LOOP_DELAY}`,
			NODE_EXTRA_CA_CERTS: services?.settings['BECKON_APNS_CA_FILE'],
			BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			// This measures the server's own limits, not the allowance of a phone that is tapped for so long.
			BECKON_RATE_PER_DEVICE: '10000000',
			// What follows the answer is measured, not the transaction that stores the push.
			BECKON_FIRST_ATTEMPT_MS: '0',
			BECKON_RATE_TRIGGERS: '10000000',
		},
	);
	const database = await openDatabase({ directory: server.directory, url });
	const bystander = new Bystander(server.url);
	const felt = () => feel(server, bystander, seconds);
	const [idle, during, took]: [Figures[], Figures[], number[]] = [[], [], []];
	try {
		await bystander.start();
		await bystander.feel(WARM_UP_SECONDS);
		if (!isShort) for (let round = 0; round < rounds; round += 1) idle.push(await felt());
		const begin = await prepare({ server, read: database.read });
		const slowStatements = watchStatements(cluster);
		let isOver = true;
		let outage: Promise<unknown> = Promise.resolve();
		for (let round = 0; round < rounds; round += 1) {
			if (!isShort && round > 0 && isOver) break;
			if (isShort) idle.push(await felt());
			if (isOver) {
				const began = performance.now();
				isOver = false;
				outage = begin().then(() => {
					isOver = true;
					took.push(performance.now() - began);
				});
			}
			during.push(await felt());
			if (isShort) await outage;
		}
		await outage;
		// An outage may outlast the measurements.
		const { open } = await heldBy(server);
		during[0] = { ...(during[0] as Figures), open: Math.max(open, during[0]?.open ?? 0) };
		return { idle, during, took: median(took), slow: slowStatements() };
	} finally {
		bystander.close();
		await database.close();
		await server.close();
		services?.stop();
		await cluster?.remove();
	}
}

/** Gives half of the phones a push token, and the others a subscription. */
async function register(db: Db, { subscription }: Services): Promise<void> {
	const isOdd = sql`substr(id, length(id)) in ('1', '3', '5', '7', '9')`;
	const many = sql`account_id = ${`acc_${MANY_PHONES.first}`}`;
	await sql`update devices set platform = 'ios', push_token = token_hash where ${many} and ${isOdd}`.execute(
		db,
	);
	await sql`update devices set push_subscription_json = ${JSON.stringify(subscription)}
		where ${many} and not ${isOdd}`.execute(db);
}
