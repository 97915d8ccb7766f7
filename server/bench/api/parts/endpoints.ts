import { join } from 'node:path';
import { median } from '../../../../bench/node/statistics.ts';
import { startBare } from '../contestants/bare.ts';
import { startBeckon } from '../contestants/beckon.ts';
import type { Contestant } from '../contestants/contestant.ts';
import { startMinimal } from '../contestants/minimal/start.ts';
import { startOnPostgres } from '../contestants/on-postgres.ts';
import type { Measured } from '../load/generator.ts';
import { Load } from '../load/load.ts';
import { type Phase, PHASES } from '../load/traffic.ts';
import { ms, table, verdict, whole } from '../report.ts';
import { ACCOUNTS, accountKeys, seedAccounts } from '../seed.ts';
import { byTurns, rateOf, type Results } from './by-turns.ts';
import type { Part, Settings } from './part.ts';

/** Aims relative to the compared checkout: other endpoints gain less, and none is slower on PostgreSQL. */
const AIM_OF_COMPARED: Readonly<Record<string, (phase: Phase) => number>> = {
	SQLite: (phase) => (phase === 'metric' ? 1.1 : 1.3),
	PostgreSQL: (phase) => (phase === 'push' ? 2 : 1),
};

/** The least share of a push's rate that one with an Idempotency-Key reaches. */
const AIM_WITH_KEY = 0.95;

const minimalOf = (store: string) => `minimal on ${store}`;
const comparedOf = (store: string) => `compared on ${store}`;

/**
 * Requests per second of every endpoint, in turn with contestants that give the same answers
 * without doing anything.
 */
export const endpoints: Part = async (settings, say) => {
	const contestants = await startAll(settings);
	try {
		const phases = (Object.keys(PHASES) as Phase[]).filter(
			(phase) => settings.only.length === 0 || settings.only.includes(phase),
		);
		const measured = await byTurns(contestants, phases, settings, say);
		return report(contestants, measured, settings);
	} finally {
		for (const contestant of contestants) await contestant.close();
	}
};

interface StoreOptions {
	url?: string | undefined;
	checkout?: string;
	/** Settings in addition to the Dockerfile's. */
	settings?: Record<string, string | undefined>;
}

async function startAll({ compare }: Settings): Promise<Contestant[]> {
	const keys = accountKeys();
	const sqlite = await startStore('SQLite', keys);
	const openapi: unknown = await (await fetch(`${sqlite.url}/api/openapi.json`)).json();
	const compared =
		compare === ''
			? []
			: [
					await startStore(comparedOf('SQLite'), keys, { checkout: compare }),
					await startOnPostgres((url) =>
						startStore(comparedOf('PostgreSQL'), keys, { url, checkout: compare }),
					),
				];
	return [
		sqlite,
		await startOnPostgres((url) => startStore('PostgreSQL', keys, { url })),
		await startMinimal(minimalOf('SQLite'), keys),
		await startOnPostgres((url) => startMinimal(minimalOf('PostgreSQL'), keys, url)),
		...compared,
		await startBare(openapi, keys),
	];
}

/** Beckon with the accounts that the keys are of, on SQLite unless a URL of PostgreSQL is given. */
export async function startStore(
	name: string,
	keys: string[],
	{ url, checkout, settings }: StoreOptions = {},
): Promise<Contestant & { url: string }> {
	// Another checkout's tables are those of its own seed.
	const { seedAccounts: seed } = checkout
		? ((await import(join(checkout, 'server/bench/api/seed.ts'))) as typeof import('../seed.ts'))
		: { seedAccounts };
	const server = await startBeckon(
		(write) => write((db) => seed(db, { first: 0, accounts: ACCOUNTS, phones: 1 })),
		url,
		checkout,
		settings,
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

function report(
	contestants: readonly Contestant[],
	results: Results,
	{ seconds, rounds, connections }: Settings,
): string {
	const medianOf = (phase: Phase, name: string, figure: (measured: Measured) => number) =>
		median((results.get(phase)?.get(name) ?? []).map(figure));
	const ratio = (phase: Phase, name: string, to: string) =>
		medianOf(phase, name, rateOf) / medianOf(phase, to, rateOf);
	const stores = ['SQLite', 'PostgreSQL'];
	const names = contestants.map(({ name }) => name);
	const phases = [...results.keys()];
	const takesPart = (phase: Phase, name: string) => results.get(phase)?.has(name) === true;

	const ratios = table(
		[
			'Endpoint',
			...stores.flatMap((store) => othersOf(store, names).map((n) => `${store} ÷ ${n}`)),
		],
		phases.map((phase) => [
			PHASES[phase],
			...stores.flatMap((store) =>
				othersOf(store, names).map((name) =>
					takesPart(phase, name) ? ratio(phase, store, name).toFixed(2) : '',
				),
			),
		]),
	);
	const figures = table(
		['Endpoint', ...names.flatMap((name) => [`${name}, requests/s`, 'p50', 'p99'])],
		phases.map((phase) => [
			PHASES[phase],
			...names.flatMap((name) =>
				takesPart(phase, name)
					? [
							whole(medianOf(phase, name, rateOf)),
							ms(medianOf(phase, name, ({ p50 }) => p50)),
							ms(medianOf(phase, name, ({ p99 }) => p99)),
						]
					: ['', '', ''],
			),
		]),
	);
	const aims = stores.flatMap((store) =>
		phases.flatMap((phase) => {
			const to = comparedOf(store);
			if (!takesPart(phase, to)) return [];
			const reached = ratio(phase, store, to);
			const aim = AIM_OF_COMPARED[store]?.(phase) ?? NaN;
			return `- ${PHASES[phase]} on ${store}: ${reached.toFixed(2)} × ${to} (aim ≥ ${aim}: ${verdict(reached >= aim)}).`;
		}),
	);
	for (const store of phases.includes('push-keyed') && phases.includes('push') ? stores : []) {
		const share = medianOf('push-keyed', store, rateOf) / medianOf('push', store, rateOf);
		aims.push(
			`- ${PHASES['push-keyed']} on ${store}: ${share.toFixed(2)} × without (aim ≥ ${AIM_WITH_KEY}: ${verdict(share >= AIM_WITH_KEY)}).`,
		);
	}
	return [
		'## Endpoints',
		`${whole(ACCOUNTS)} accounts with one phone each; ${connections} connections, each sending one request at a time; ${seconds} s per measurement, ${rounds} alternating rounds after a warm-up, medians. Minimal is the smallest server with the same durability guarantee: Fastify, the same contract, a lookup of the key by its hash, a message and a delivery for each phone, stored durably with those of all requests in the same turn of the event loop; on PostgreSQL it counts the requests in the database. Bare Fastify parses the same body, validates it against the same published schema and serializes a fixed answer. Beckon authenticates, counts, validates, resolves the audience, and has the push durably stored and handed to the phone's inbox before it answers.`,
		...(aims.length > 0 ? [aims.join('\n')] : []),
		ratios,
		figures,
	].join('\n\n');
}

/** The contestants the server on a store is compared with. */
function othersOf(store: string, names: readonly string[]): string[] {
	return [minimalOf(store), comparedOf(store), 'bare Fastify'].filter((name) =>
		names.includes(name),
	);
}
