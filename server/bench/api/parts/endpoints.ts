import { median } from '../../../../bench/node/statistics.ts';
import { startCluster } from '../../../test/support/postgres-cluster.ts';
import { startBare } from '../contestants/bare.ts';
import { startBeckon } from '../contestants/beckon.ts';
import type { Contestant } from '../contestants/contestant.ts';
import { startPrism } from '../contestants/prism.ts';
import type { Measured } from '../load/generator.ts';
import { Load } from '../load/load.ts';
import { type Phase, PHASES } from '../load/traffic.ts';
import { ms, table, verdict, whole } from '../report.ts';
import { keyOf, seedAccounts } from '../seed.ts';
import type { Part, Settings } from './part.ts';

/** Each with one phone; together they take five times as many activities. */
const ACCOUNTS = 2_000;

const WARM_UP_SECONDS = 1;

const AIM_OF_BARE = 0.5;
const AIM_OF_PRISM = 8;

/** Requests per second of every endpoint, by turns with those who answer the same without doing anything. */
export const endpoints: Part = async (settings, say) => {
	const contestants = await startAll();
	try {
		const measured = await compare(contestants, settings, say);
		return report(contestants, measured, settings);
	} finally {
		for (const contestant of contestants) await contestant.close();
	}
};

async function startAll(): Promise<Contestant[]> {
	const keys = Array.from({ length: ACCOUNTS }, (_, n) => keyOf(n));
	const sqlite = await startStore('SQLite', keys);
	const openapi: unknown = await (await fetch(`${sqlite.url}/api/openapi.json`)).json();
	return [
		sqlite,
		await startPostgres(keys),
		await startBare(openapi, keys),
		await startPrism(openapi, keys),
	];
}

async function startStore(
	name: string,
	keys: string[],
	databaseUrl?: string,
): Promise<Contestant & { url: string }> {
	const server = await startBeckon(
		(write) => write((db) => seedAccounts(db, { first: 0, accounts: ACCOUNTS, phones: 1 })),
		databaseUrl,
	);
	const load = new Load({ url: `${server.url}/api`, keys });
	return {
		name,
		url: server.url,
		load,
		async close() {
			load.close();
			await server.close();
		},
	};
}

/** On a PostgreSQL of its own, with PostgreSQL's own settings: what it commits is on the disk. */
async function startPostgres(keys: string[]): Promise<Contestant> {
	const cluster = await startCluster([]);
	await cluster.createDatabase('bench');
	const contestant = await startStore('PostgreSQL', keys, cluster.urlOf('bench'));
	return {
		...contestant,
		async close() {
			await contestant.close();
			await cluster.remove();
		},
	};
}

type Results = Map<Phase, Map<string, Measured[]>>;

async function compare(
	contestants: readonly Contestant[],
	{ seconds, rounds, connections, only }: Settings,
	say: (line: string) => void,
): Promise<Results> {
	const phases = (Object.keys(PHASES) as Phase[]).filter(
		(phase) => only.length === 0 || only.includes(phase),
	);
	const results: Results = new Map(phases.map((phase) => [phase, new Map<string, Measured[]>()]));
	for (let round = 0; round <= rounds; round += 1) {
		say(round === 0 ? 'Warming up' : `Round ${round} of ${rounds}`);
		for (const phase of phases) {
			for (const { name, load } of contestants) {
				const job = { phase, connections, seconds: round === 0 ? WARM_UP_SECONDS : seconds };
				const measured = await load.run(job);
				if (round === 0) continue;
				say(`${PHASES[phase]}, ${name}: ${whole(rateOf(measured))}/s`);
				const ofPhase = results.get(phase);
				ofPhase?.set(name, [...(ofPhase.get(name) ?? []), measured]);
			}
		}
	}
	return results;
}

const rateOf = ({ requests, seconds }: Measured) => requests / seconds;

function report(
	contestants: readonly Contestant[],
	results: Results,
	{ seconds, rounds, connections }: Settings,
): string {
	const medianOf = (phase: Phase, name: string, figure: (measured: Measured) => number) =>
		median((results.get(phase)?.get(name) ?? []).map(figure));
	const ratio = (phase: Phase, name: string, to: string) =>
		medianOf(phase, name, rateOf) / medianOf(phase, to, rateOf);
	const others = ['bare Fastify', 'Prism'];
	const stores = contestants.map(({ name }) => name).filter((name) => !others.includes(name));
	const phases = [...results.keys()];

	const ratios = table(
		['Endpoint', ...stores.flatMap((store) => others.map((other) => `${store} ÷ ${other}`))],
		phases.map((phase) => [
			PHASES[phase],
			...stores.flatMap((store) => others.map((other) => ratio(phase, store, other).toFixed(2))),
		]),
	);
	const figures = table(
		['Endpoint', ...contestants.flatMap(({ name }) => [`${name}, requests/s`, 'p50', 'p99'])],
		phases.map((phase) => [
			PHASES[phase],
			...contestants.flatMap(({ name }) => [
				whole(medianOf(phase, name, rateOf)),
				ms(medianOf(phase, name, ({ p50 }) => p50)),
				ms(medianOf(phase, name, ({ p99 }) => p99)),
			]),
		]),
	);
	const aims = phases.includes('push')
		? stores.map((store) => {
				const ofBare = ratio('push', store, 'bare Fastify');
				const ofPrism = ratio('push', store, 'Prism');
				return `POST /push-notification on ${store}: ${ofBare.toFixed(2)} × bare Fastify (aim ≥ ${AIM_OF_BARE}: ${verdict(ofBare >= AIM_OF_BARE)}), ${ofPrism.toFixed(1)} × Prism (aim ≥ ${AIM_OF_PRISM}: ${verdict(ofPrism >= AIM_OF_PRISM)}).`;
			})
		: [];
	return [
		'### Endpoints',
		`${whole(ACCOUNTS)} accounts with one phone each; ${connections} connections, each a request after the other; ${seconds} s a measurement, ${rounds} rounds by turns after a warm-up, medians. Bare Fastify parses the same body, checks it by the same published schema and serializes a fixed answer; Prism mocks the same OpenAPI document. Beckon authenticates, counts, validates, resolves the audience, and has the push durably stored and handed to the phone's inbox before it answers.`,
		...aims,
		ratios,
		figures,
	].join('\n\n');
}
