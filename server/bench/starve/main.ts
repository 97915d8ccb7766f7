import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '../../../bench/node/statistics.ts';
import { startCluster } from '../../test/support/postgres-cluster.ts';
import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeResult } from '../../../scripts/lib/write-result.ts';
import { startBeckon } from '../api/contestants/beckon.ts';
import { seedHistory } from '../api/parts/growth.ts';
import { megabytes, ms, table, verdict, whole } from '../api/report.ts';
import { seedAccounts } from '../api/seed.ts';
import { Bystander, type Felt } from './bystander.ts';
import { CROWD, FLOODS, SEARCHES } from './floods.ts';
import { measureLargeAccount, SCENARIOS } from './held-up.ts';
import {
	ACKNOWLEDGED,
	LAST_TOLD,
	MANY_PHONES,
	PUSH_TO_PAGES,
	subscribePages,
} from './open-pages.ts';
import { measureOutages, OUTAGES } from './outages.ts';
import { VARIANTS } from './variants.ts';

const AIM_MS = 100;

/** For the time until a push has reached the last open page. */
const LAST_TOLD_AIM_MS = 1_000;
/** For the peak memory of the server's process, in bytes. */
const MEMORY_AIM = 250_000_000;

/** Deliveries of the phone whose history is searched. */
const HISTORY = 100_000;

/** A flood needs a moment to begin, and the server one to recover. */
const PAUSE_MS = 500;

const WARM_UP_SECONDS = 2;

/** The other floods do not depend on the store. */
const ON_BOTH_STORES: readonly string[] = [CROWD, PUSH_TO_PAGES];

const STORES: readonly string[] = ['sqlite', 'postgres'];

/** Everything that can be measured on its own. */
const ALL = [...Object.keys(FLOODS), ...OUTAGES, ...SCENARIOS];

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '5' },
		seconds: { type: 'string', default: '3' },
		only: { type: 'string', multiple: true, default: ALL },
		variant: { type: 'string', multiple: true, default: Object.keys(VARIANTS) },
		store: { type: 'string', multiple: true, default: [...STORES] },
		write: { type: 'boolean', default: false },
	},
});
for (const [option, known] of [
	['only', ALL],
	['variant', Object.keys(VARIANTS)],
	['store', STORES],
] as const)
	for (const name of values[option])
		if (!known.includes(name))
			throw new Error(`--${option} must be one of ${known.join(', ')}, not ${name}`);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

interface Round {
	idle: Felt;
	during: Felt;
	answers: Record<string, number>;
	/** The server's largest resident memory so far, in bytes. */
	memory: number;
}

function peakMemory(pid: number): number {
	const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return Number(kib) * 1_024;
}

/** Measures the second account, idle and during a flood. */
async function measure(
	url: string,
	name: string,
	bystander: Bystander,
): Promise<Omit<Round, 'memory'>> {
	// The first requests of server and client take longer than all others.
	await bystander.feel(WARM_UP_SECONDS);
	await setTimeout(PAUSE_MS);
	const idle = await bystander.feel(seconds);
	const flooder = fork(join(import.meta.dirname, 'flooder.ts'), [url, name], {
		execArgv: ['--no-warnings'],
	});
	const ended = new Promise<Record<string, number>>((resolve, reject) => {
		flooder.once('message', () =>
			flooder.once('message', (answers) => resolve(answers as Record<string, number>)),
		);
		flooder.once('exit', (code) => reject(new Error(`The flood ended with ${code}`)));
	});
	await Promise.race([once(flooder, 'message'), ended]);
	await setTimeout(PAUSE_MS);
	const during = await bystander.feel(seconds);
	flooder.send('stop');
	return { idle, during, answers: await ended };
}

const rows: string[][] = [];
const verdicts: string[] = [];
/** Measurements that only some floods have. */
const notes: string[] = [];
for (const [variant, name] of values.variant.flatMap((way) =>
	values.only.filter((one) => one in FLOODS).map((flood) => [way, flood] as const),
)) {
	const { isOnPostgres = false, front } = VARIANTS[variant] ?? {};
	if (isOnPostgres && !ON_BOTH_STORES.includes(name)) continue;
	const cluster = isOnPostgres ? await startCluster() : undefined;
	const measured: Round[] = [];
	let calls = 0;
	const pushService = createServer((socket) => {
		calls += 1;
		socket.on('error', () => undefined).destroy();
	}).listen(0, '127.0.0.1');
	await once(pushService, 'listening');
	const endpoint = `https://127.0.0.1:${(pushService.address() as AddressInfo).port}/`;
	for (let round = 1; round <= rounds; round += 1) {
		// A fresh server: no flood is refused because of the one before.
		await cluster?.createDatabase(`round_${round}`);
		const server = await startBeckon(
			async (write) => {
				await write((db) => seedAccounts(db, { first: 0, accounts: 2, phones: 1 }));
				if (name === PUSH_TO_PAGES) {
					await write((db) => seedAccounts(db, MANY_PHONES));
					await write((db) => subscribePages(db, endpoint));
				}
				if (name === SEARCHES) await seedHistory(write, HISTORY, () => undefined);
			},
			cluster?.urlOf(`round_${round}`),
			undefined,
			{
				BECKON_TRUSTED_PROXIES: '127.0.0.1',
				BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
				BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
				// The default: it limits the responses that a client may fetch without a key.
				BECKON_RATE_PER_ADDRESS: '600',
				// Pictures need a public URL.
				BECKON_PUBLIC_URL: 'https://beckon.example.com',
			},
		);
		const proxy = await front?.(server.url);
		const url = proxy?.url ?? server.url;
		const bystander = new Bystander(url);
		try {
			await bystander.start();
			const result = { ...(await measure(url, name, bystander)), memory: peakMemory(server.pid) };
			measured.push(result);
			for (const [failure, times] of [...result.idle.failures, ...result.during.failures])
				process.stderr.write(`${times} × ${failure}\n`);
			process.stderr.write(
				`${variant}, ${name}, round ${round}: pushes ${ms(result.idle.pushes)} → ${ms(result.during.pushes)}, taps ${ms(result.idle.taps)} → ${ms(result.during.taps)}, connections ${ms(result.idle.connections)} → ${ms(result.during.connections)}, ${megabytes(result.memory)}; answers ${JSON.stringify(result.answers)}\n`,
			);
		} finally {
			bystander.close();
			await proxy?.close();
			await server.close();
		}
	}
	await cluster?.remove();
	const memory = median(measured.map((round) => round.memory));
	for (const what of ['pushes', 'taps', 'connections'] as const) {
		const idle = median(measured.map((round) => round.idle[what]));
		const during = median(measured.map((round) => round.during[what]));
		rows.push([
			`${name}, ${variant}: ${what}`,
			ms(idle),
			ms(during),
			(during / idle).toFixed(1),
			megabytes(memory),
		]);
		verdicts.push(`${name}, ${variant}, ${what}: aim ≤ ${AIM_MS} ms: ${verdict(during <= AIM_MS)}`);
	}
	pushService.close();
	const lastTold = measured.flatMap(({ answers }) => answers[LAST_TOLD] ?? []);
	if (lastTold.length > 0) {
		const slowest = median(lastTold);
		const share = median(measured.map(({ answers }) => answers[ACKNOWLEDGED] ?? 0)) / 10;
		notes.push(
			`${name}: ${whole(slowest)} ms ${LAST_TOLD} (aim ≤ ${whole(LAST_TOLD_AIM_MS)} ms: ${verdict(slowest <= LAST_TOLD_AIM_MS)}); ${share} % acknowledged; push services called ${whole(calls)} times (aim 0: ${verdict(calls === 0)}).`,
		);
	}
	verdicts.push(
		`${name}, ${variant}, memory: aim < ${megabytes(MEMORY_AIM)}: ${verdict(memory < MEMORY_AIM)}`,
	);
}

const sections: Record<string, string> = {};
if (rows.length > 0)
	sections['floods'] = `
# How one client affects others

\`npm run bench:starve -- --write\` on ${circumstances()}. The effect on a second account of each
flood: the 99th percentile of its pushes, 40 a second, of taps on its webhook button, 8 a second, and of health
checks, each on a new connection, 20 a second, in ${seconds} s; and the largest resident memory of the server. Medians of ${rounds} rounds, each on a fresh server. The
searched phone has a history of ${whole(HISTORY)} pushes. The open pages are each of another phone; the account has
10,000. direct: nothing in front of the server, on the embedded store; postgres: the same on PostgreSQL; caddy: Caddy in front, with
deploy/Caddyfile. Rate limits are those of the
defaults where they count addresses, and lifted elsewhere.

${[table(['Flood', 'Idle', 'During', 'Ratio', 'Memory'], rows), ...notes].join('\n\n')}`;

const outages = OUTAGES.filter((name) => values.only.includes(name));
if (outages.length > 0)
	sections['outages'] = `
# Outages

What happens to many phones at once, on ${circumstances()}: how long it takes, the longest time for which the server's
event loop is held, the most that the server's threads compute meanwhile, and the second account's 99th percentiles,
each beside the idle figure of the same server; medians of up to ${rounds} times ${seconds} s.

${await measureOutages(outages, values.store, { seconds, rounds })}`;

const scenarios = SCENARIOS.filter((name) => values.only.includes(name));
if (scenarios.length > 0)
	sections['large-account'] = `
# A large account

The same as in [Outages](outages.md) for pages of a large account's console, each asked for again and again, of which the slowest is shown, and for
the retention of its history, on ${circumstances()}; medians of ${rounds} times one second.

${await measureLargeAccount(scenarios, values.store, rounds)}`;

process.stdout.write(`${Object.values(sections).join('\n')}\n${verdicts.join('\n')}\n`);
if (values.write) for (const [name, text] of Object.entries(sections)) writeResult(name, text);
