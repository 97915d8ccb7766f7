import { parseArgs } from 'node:util';
import { median } from '../../../bench/node/statistics.ts';
import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeResult } from '../../../scripts/lib/write-result.ts';
import { startBeckon, WITHOUT_MEMORY_SETTINGS } from '../api/contestants/beckon.ts';
import type { Contestant } from '../api/contestants/contestant.ts';
import { Load } from '../api/load/load.ts';
import type { Target } from '../api/load/traffic.ts';
import { byTurns, rateOf } from '../api/parts/by-turns.ts';
import { ms, table, verdict, whole } from '../api/report.ts';
import { ACCOUNTS, accountKeys, keyOf, seedAccounts, tokenOf } from '../api/seed.ts';
import { type Latency, measureLatency, type Peer } from './latency.ts';
import { startNtfy, versionOf } from './ntfy.ts';

const AIMS = { throughput: 3, answer: 1.6 };

const CONNECTIONS = 100;

/** Pushes a second with one subscriber, and how many are sent in a round. */
const RATES = [
	{ perSecond: 1, count: 10 },
	{ perSecond: 10, count: 50 },
	{ perSecond: 100, count: 300 },
];

const { values } = parseArgs({
	options: {
		ntfy: { type: 'string' },
		rounds: { type: 'string', default: '5' },
		seconds: { type: 'string', default: '3' },
		write: { type: 'boolean', default: false },
	},
});

/** As many topics as accounts: a title and a message to the next one, as JSON. */
const topics = Array.from({ length: ACCOUNTS }, (_, n) => `topic-${n}`);

async function compare(program: string): Promise<string> {
	const rounds = Number(values.rounds);
	const beckon = await startBeckon(
		(write) => write((db) => seedAccounts(db, { first: 0, accounts: ACCOUNTS, phones: 1 })),
		undefined,
		undefined,
		WITHOUT_MEMORY_SETTINGS,
	);
	const ntfy = await startNtfy(program, topics.length);
	const contestants = [
		contestant('Beckon', beckon, { url: `${beckon.url}/api`, keys: accountKeys() }),
		contestant('ntfy', ntfy, { url: ntfy.url, keys: [''], topics }),
	];
	try {
		const say = (line: string) => process.stderr.write(`${line}\n`);
		const results = await byTurns(
			contestants,
			['push'],
			{ seconds: Number(values.seconds), rounds, connections: CONNECTIONS },
			say,
		);
		const [ours = NaN, theirs = NaN] = ['Beckon', 'ntfy'].map((name) =>
			median((results.get('push')?.get(name) ?? []).map(rateOf)),
		);
		const peers: Peer[] = [peerBeckon(beckon.url), peerNtfy(ntfy.url)];
		const rows: string[][] = [];
		for (const rate of RATES) {
			const measured: [Latency[], Latency[]] = [[], []];
			for (let round = 0; round < rounds; round += 1)
				for (const [n, peer] of peers.entries())
					measured[n]?.push(await measureLatency(peer, rate));
			const of = (n: 0 | 1, what: keyof Latency) => median(measured[n].map((one) => one[what]));
			const ratio = of(0, 'answer') / of(1, 'answer');
			say(`${rate.perSecond}/s: answered ${ratio.toFixed(2)} × ntfy's`);
			rows.push([
				`${rate.perSecond}`,
				ms(of(0, 'answer')),
				ms(of(1, 'answer')),
				ratio.toFixed(2),
				`≤ ${AIMS.answer}: ${verdict(ratio <= AIMS.answer)}`,
				ms(of(0, 'told')),
				ms(of(1, 'told')),
			]);
		}
		return `
# Beside ntfy

\`npm run bench:peers -- --ntfy PATH --write\` on ${circumstances()}, with ntfy ${versionOf(program)} (Debian's package),
its cache on disk with \`journal_mode = WAL\` and \`synchronous = full\`, so that both have stored a message when they
answer; its limits are lifted. Beckon runs without the Dockerfile's memory settings. Medians of ${rounds} alternating rounds.

Full speed, ${whole(ACCOUNTS)} accounts or topics, ${CONNECTIONS} connections: Beckon ${whole(ours)} requests/s, ntfy ${whole(theirs)}: ${(ours / theirs).toFixed(1)}
(aim ≥ ${AIMS.throughput}: ${verdict(ours / theirs >= AIMS.throughput)}).

With one subscriber; from the request to its answer, and to the event at the subscriber. ntfy tells its subscribers
before it stores, Beckon after:

${table(['Pushes/s', 'Answer, Beckon', 'ntfy', 'Ratio', 'Aim', 'Event, Beckon', 'ntfy'], rows)}
`;
	} finally {
		for (const each of contestants) await each.close();
	}
}

function contestant(name: string, server: { close(): Promise<void> }, target: Target): Contestant {
	const load = new Load(target);
	return {
		name,
		load,
		async close() {
			load.close();
			await server.close();
		},
	};
}

function peerBeckon(url: string): Peer {
	return {
		stream: {
			url: `${url}/device/events`,
			headers: { authorization: `Bearer ${tokenOf(0)}` },
		},
		push: (title) => ({
			url: `${url}/api/push-notification`,
			headers: { authorization: `Bearer ${keyOf(0)}` },
			body: { title, message: 'Two loaves' },
		}),
	};
}

function peerNtfy(url: string): Peer {
	const [topic = ''] = topics;
	return {
		stream: { url: `${url}/${topic}/json`, headers: {} },
		push: (title) => ({ url, headers: {}, body: { topic, title, message: 'Two loaves' } }),
	};
}

if (values.ntfy === undefined) {
	process.stdout.write(
		"Skipped: no ntfy. Name its program with --ntfy PATH; Debian's package ntfy (in sid) has one, which needs no installation: dpkg -x ntfy_*.deb DIR.\n",
	);
} else {
	const text = await compare(values.ntfy);
	process.stdout.write(text);
	if (values.write) writeResult('ntfy', text);
}
