import { type RawBuilder, sql } from 'kysely';
import { median } from '../../../../bench/node/statistics.ts';
import { changeState } from '../../../src/service/shown/content-state.ts';
import { type Beckon, startBeckon, type Write } from '../contestants/beckon.ts';
import { Load } from '../load/load.ts';
import type { Phase, Target } from '../load/traffic.ts';
import { ms, table, verdict, whole } from '../report.ts';
import { keyOf, seedAccounts } from '../seed.ts';
import type { Part, Settings } from './part.ts';

const DEVICES = [1, 10, 100, 1_000, 10_000];
const PHONES_PER_STREAM = 5;

/** Rows one transaction of the seed writes to each table. */
const ROWS_AT_ONCE = 100_000;

/** Most a device of the largest account may cost, relative to one of an account with a hundred. */
const AIM_PER_DEVICE = 2;

/** The largest relative change of a cost that still counts as flat. */
const FLAT = 0.1;

/** Multiplies the rounds of other parts: with only three, medians of one server differ by more than a tenth. */
const ROUNDS_FACTOR = 3;

/** A push to a growing number of devices of an account. */
export const devices: Part = async (settings, say) => {
	const server = await startBeckon((write) =>
		write(async (db) => {
			for (const [first, phones] of DEVICES.entries())
				await seedAccounts(db, { first, accounts: 1, phones });
		}),
	);
	const sizes = DEVICES.map((count, n) => ({
		name: whole(count),
		load: new Load({ url: `${server.url}/api`, keys: [keyOf(n)] }),
	}));
	try {
		const costs = await byTurns(sizes, 'push', settings, say);
		const perDevice = costs.map((cost, index) => cost / (DEVICES[index] ?? 1));
		const growth = (perDevice.at(-1) ?? NaN) / (perDevice[DEVICES.indexOf(100)] ?? NaN);
		return [
			'## More devices',
			`A push to all devices of an account; the time is that of the server per request, while ${settings.connections} connections keep it busy.`,
			`One device of 10,000 costs ${growth.toFixed(1)} × as much as one of 100 (aim ≤ ${AIM_PER_DEVICE}: ${verdict(growth <= AIM_PER_DEVICE)}).`,
			table(
				['Devices', 'Requests/s', 'Per request', 'Per device'],
				costs.map((cost, index) => [
					whole(DEVICES[index] ?? 0),
					whole(1_000 / cost),
					ms(cost),
					`${((cost * 1_000) / (DEVICES[index] ?? 1)).toFixed(0)} µs`,
				]),
			),
		].join('\n\n');
	} finally {
		for (const { load } of sizes) load.close();
		await server.close();
	}
};

/** A push of an account that has sent nothing yet, and of one that has sent millions. */
export const history: Part = async (settings, say) => {
	const seed = (rows: number) => async (write: Write) => {
		await write((db) => seedAccounts(db, { first: 0, accounts: 1, phones: 1 }));
		await seedHistory(write, rows, say);
	};
	return flatness(settings, say, {
		title: '## More history',
		what: 'A push of an account with one phone, whose earlier pushes are all still in the history, with their messages and deliveries.',
		unit: 'Rows of history',
		phase: 'push',
		sizes: [0, settings.rows].map((rows) => ({
			name: whole(rows),
			seed: seed(rows),
			target: { keys: [keyOf(0)] },
		})),
	});
};

/** An update of a stream in an account with few streams, and in one with very many. */
export const streams: Part = (settings, say) =>
	flatness(settings, say, {
		title: '## More streams',
		what: 'A PUT that updates a running stream; all streams belong to one account, five to a phone, each to the channel of its phone.',
		unit: 'Running streams',
		phase: 'stream-update',
		sizes: [settings.connections * PHONES_PER_STREAM, settings.streams / 10, settings.streams].map(
			(count) => {
				const phones = Math.ceil(count / PHONES_PER_STREAM);
				return {
					name: whole(count),
					seed: (write: Write) =>
						write(async (db) => {
							await seedAccounts(db, { first: 0, accounts: 1, phones, isEachInChannel: true });
							for (const statement of streamRows(count, phones)) await statement.execute(db);
						}),
					target: {
						keys: [keyOf(0)],
						streams: Array.from({ length: count }, (_, n) => `stream-${n}`),
						channels: Array.from({ length: phones }, (_, n) => `phone-${n}`),
					},
				};
			},
		),
	});

interface Sizes {
	title: string;
	what: string;
	unit: string;
	phase: Phase;
	sizes: Array<{
		name: string;
		seed: (write: Write) => Promise<void>;
		target: Omit<Target, 'url'>;
	}>;
}

/** Measures on stores in turn, and reports whether the largest costs as much as the one before it. */
async function flatness(
	settings: Settings,
	say: (line: string) => void,
	{ title, what, unit, phase, sizes }: Sizes,
): Promise<string> {
	const servers: Beckon[] = [];
	const loads: Array<{ name: string; load: Load }> = [];
	try {
		for (const { name, seed, target } of sizes) {
			const server = await startBeckon(seed);
			servers.push(server);
			loads.push({ name, load: new Load({ ...target, url: `${server.url}/api` }) });
		}
		const rounds = settings.rounds * ROUNDS_FACTOR;
		const costs = await byTurns(loads, phase, { ...settings, rounds }, say);
		const [few = NaN, many = NaN] = costs.slice(-2);
		const change = many / few - 1;
		return [
			title,
			what,
			`From ${sizes.at(-2)?.name} to ${sizes.at(-1)?.name}: ${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)} % (aim: within 10 %: ${verdict(change <= FLAT)}).`,
			table(
				[unit, 'Requests/s', 'Per request'],
				costs.map((cost, index) => [
					sizes[index]?.name ?? '',
					whole(1_000 / cost),
					`${whole(cost * 1_000)} µs`,
				]),
			),
		].join('\n\n');
	} finally {
		for (const { load } of loads) load.close();
		for (const server of servers) await server.close();
	}
}

/** Milliseconds per request of each: the median of the rounds after a warm-up. */
async function byTurns(
	loads: ReadonlyArray<{ name: string; load: Load }>,
	phase: Phase,
	{ rounds, seconds, connections }: Settings,
	say: (line: string) => void,
): Promise<number[]> {
	const costs = loads.map((): number[] => []);
	for (let round = 0; round <= rounds; round += 1) {
		for (const [index, { name, load }] of loads.entries()) {
			const measured = await load.run({ phase, connections, seconds });
			if (round === 0) continue;
			const cost = (measured.seconds * 1_000) / measured.requests;
			say(`${name}: ${whole(1_000 / cost)}/s`);
			costs[index]?.push(cost);
		}
	}
	return costs.map(median);
}

/** Past pushes to the first account's phone: history entries, each with its message and delivery. */
export async function seedHistory(
	write: Write,
	rows: number,
	say: (line: string) => void,
): Promise<void> {
	const begin = Date.now() - rows;
	for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
		const to = Math.min(from + ROWS_AT_ONCE, rows);
		const numbers = sql`with recursive numbers(n) as
			(select cast(${from} as integer) union all select n + 1 from numbers where n + 1 < ${to})`;
		await write(async (db) => {
			await sql`insert into history (id, account_id, api_key_id, kind, title, created_at)
				${numbers} select 'his_' || n, 'acc_0', 'key_0', 'push', 'New order', ${begin} + n from numbers`.execute(
				db,
			);
			await sql`insert into messages (account_id, history_id, kind, content_json, created_at)
				${numbers} select 'acc_0', 'his_' || n, 'push', '{"title":"New order","message":"Two loaves"}', ${begin} + n from numbers`.execute(
				db,
			);
			await sql`insert into deliveries (message_id, device_id, state, attempts, next_attempt_at)
				${numbers} select n + 1, 'dev_0_0', 'stored', 0, ${begin} + n from numbers`.execute(db);
		});
		if (to % 1_000_000 === 0) say(`${whole(to)} rows of history written`);
	}
}

/** Running streams, number n on phone number n mod `phones` and for its channel. */
function streamRows(count: number, phones: number): Array<RawBuilder<unknown>> {
	const now = Date.now();
	const numbers = sql`with recursive numbers(n) as
		(select 0 union all select n + 1 from numbers where n + 1 < ${count})`;
	const state = JSON.stringify(
		changeState(undefined, { type: 'progress', title: 'Backup', percentage: 0 }, now),
	);
	// As a literal: SQLite takes a bound number for one with a fraction.
	const phone = sql`(n % ${sql.lit(phones)})`;
	const channels = sql`'["phone-' || ${phone} || '"]'`;
	return [
		sql`insert into history (id, account_id, api_key_id, kind, title, channels_json, created_at)
			${numbers} select 'act_' || n, 'acc_0', 'key_0', 'activity', 'Backup', ${channels}, ${now} from numbers`,
		sql`insert into activities (id, account_id, stream_key, state_json, actions_json, channels_json, started_at, updated_at)
			${numbers} select 'act_' || n, 'acc_0', 'stream-' || n, ${state}, '{}', ${channels}, ${now}, ${now} from numbers`,
		sql`insert into activity_devices (activity_id, device_id)
			${numbers} select 'act_' || n, 'dev_0_' || ${phone} from numbers`,
		sql`insert into streams (account_id, stream_key, activity_id, channels_json, updated_at)
			${numbers} select 'acc_0', 'stream-' || n, 'act_' || n, ${channels}, ${now} from numbers`,
	];
}
