import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startCluster } from '../../../test/support/postgres-cluster.ts';
import { startBeckon, type Write } from '../contestants/beckon.ts';
import { Load } from '../load/load.ts';
import { type Phase, PHASES } from '../load/traffic.ts';
import { table, whole } from '../report.ts';
import { ACCOUNTS, accountKeys, seedAccounts } from '../seed.ts';
import type { Part, Settings } from './part.ts';

const SHOWN = 10;

/** What a store has run. */
interface Statement {
	sql: string;
	runs: number;
	ms: number;
}

interface Counted {
	requests: number;
	statements: Statement[];
}

const COUNT = pathToFileURL(join(import.meta.dirname, '../statements/count.ts')).href;

/** The statements that take the most time of each store, and how often they run. */
export const statements: Part = async (settings, say) => {
	const chapters: string[] = [];
	for (const phases of [['push'], ['stream-start', 'stream-update']] as Phase[][]) {
		const named = phases.map((phase) => PHASES[phase]).join(', then ');
		for (const [store, measure] of [
			['SQLite', onSqlite],
			['PostgreSQL', onPostgres],
		] as const) {
			say(`${named}, ${store}`);
			chapters.push(`**${named}, on ${store}**`, report(await measure(phases, settings)));
		}
	}
	return [
		'## Statements',
		`The ${SHOWN} statements that take the most time, and the most frequent one, with ${settings.connections} connections of ${whole(ACCOUNTS)} accounts. Requests that wait at the same time share a run. On SQLite the time is that of the call, and a commit includes the sync to disk; on PostgreSQL it comes from pg_stat_statements, without the round trip. The code is in \`server/src/store/\`: \`git grep\` the name of the table there; \`begin\` and \`commit\` are in \`engine/\`.`,
		...chapters,
	].join('\n\n');
};

const seed = (write: Write) =>
	write((db) => seedAccounts(db, { first: 0, accounts: ACCOUNTS, phones: 1 }));

async function run(url: string, phases: readonly Phase[], settings: Settings): Promise<number> {
	const keys = accountKeys();
	const load = new Load({ url: `${url}/api`, keys });
	let requests = 0;
	for (const phase of phases) {
		const { connections, seconds } = settings;
		requests += (await load.run({ phase, connections, seconds })).requests;
	}
	load.close();
	return requests;
}

async function onSqlite(phases: readonly Phase[], settings: Settings): Promise<Counted> {
	const folder = mkdtempSync(join(tmpdir(), 'beckon-statements-'));
	const file = join(folder, 'statements.json');
	try {
		const server = await startBeckon(seed, '', undefined, {
			NODE_OPTIONS: `--import=${COUNT}`,
			BENCH_STATEMENTS: file,
		});
		const requests = await run(server.url, phases, settings);
		await server.close();
		return { requests, statements: JSON.parse(readFileSync(file, 'utf8')) as Statement[] };
	} finally {
		rmSync(folder, { recursive: true });
	}
}

async function onPostgres(phases: readonly Phase[], settings: Settings): Promise<Counted> {
	const cluster = await startCluster(['shared_preload_libraries=pg_stat_statements']);
	try {
		await cluster.createDatabase('bench');
		const client = new pg.Client({ connectionString: cluster.urlOf('bench') });
		await client.connect();
		await client.query('create extension pg_stat_statements');
		const server = await startBeckon(seed, cluster.urlOf('bench'));
		await client.query('select pg_stat_statements_reset()');
		const requests = await run(server.url, phases, settings);
		const { rows } = await client.query<Statement>(
			'select query as sql, calls::float as runs, total_exec_time as ms from pg_stat_statements',
		);
		await client.end();
		await server.close();
		return { requests, statements: rows };
	} finally {
		await cluster.remove();
	}
}

/** The beginning of a statement, without the mark of a prepared one. */
function beginning(sql: string): string {
	const text = sql
		.replace('/* statement */', '')
		.replaceAll(/["\s]+/g, ' ')
		.replaceAll('|', '¦')
		.trim();
	return `\`${text.length > 90 ? `${text.slice(0, 89)}…` : text}\``;
}

function report({ requests, statements }: Counted): string {
	const perThousand = (runs: number) => {
		const rate = (runs / requests) * 1_000;
		return rate < 10 ? rate.toFixed(1) : whole(rate);
	};
	const perRequest = (ms: number) => ((ms / requests) * 1_000).toFixed(1);
	const rows = table(
		['Statement', 'Runs per 1,000 requests', 'µs per run', 'µs per request'],
		statements
			.toSorted((a, b) => b.ms - a.ms)
			.slice(0, SHOWN)
			.map(({ sql, runs, ms }) => [
				beginning(sql),
				perThousand(runs),
				whole((ms / runs) * 1_000),
				perRequest(ms),
			]),
	);
	const [often, ...others] = statements.toSorted((a, b) => b.runs - a.runs);
	if (!often) throw new Error('No statement was counted');
	const asOften = others.filter(({ runs }) => runs > 0.95 * often.runs).length;
	return `${rows}\n\nMost often, ${perThousand(often.runs)} times per 1,000 requests and ${perRequest(often.ms)} µs per request: ${beginning(often.sql)}${asOften > 0 ? `; ${asOften} ${asOften === 1 ? 'other runs' : 'others run'} as often` : ''}.`;
}
