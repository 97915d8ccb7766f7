import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/open.ts';
import { startCluster } from '../../test/support/postgres-cluster.ts';
import { type ServerProcess, startProcess } from '../../test/support/process.ts';
import { table, verdict, whole } from '../api/report.ts';
import { Bystander } from './bystander.ts';
import { AIM_MS, feel, type Figures, HEADER, LOOP_DELAY, toRow } from './figures.ts';
import { ENTRIES, seedLargeAccount, SIZES } from './large-account.ts';
import { closePages, openPages, PAGES } from './open-pages.ts';

const WARM_UP_SECONDS = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Age of the account's history, which retention deletes after a day. */
const AGE_MS = 3 * DAY_MS;

/** What the console asks for, again and again. */
const CONSOLE_PAGES: Record<string, string> = {
	phones: '/devices',
	'phones, found and sorted': '/devices?search=phone&reach=while_open&sort=name&page=400',
	people: '/users',
	'people to choose from': '/user-names',
	channels: '/channels',
	'channels to choose from': '/channel-names',
	metrics: '/metrics',
	live: '/live',
	'live, last page': '/live?page=400&streams_page=400',
	history: '/history',
	'history of all pages': '/history?kind=activity',
	'an activity with 4,800 updates': `/history/${ENTRIES.activity}`,
	'a push to 10,000 phones': `/history/${ENTRIES.push}`,
	'first steps': '/first-steps',
};

const RETENTION = 'retention';

/** What a large account does that may hold the event loop. */
export const SCENARIOS = [...Object.keys(CONSOLE_PAGES), RETENTION];

/** Does the work again and again while it is felt. @returns what is felt, and the longest time of one */
async function repeatWhile(
	feeling: Promise<Figures>,
	work: () => Promise<void>,
): Promise<[Figures, slowest: number]> {
	const over = new AbortController();
	const felt = feeling.finally(() => over.abort());
	let slowest = 0;
	while (!over.signal.aborted) {
		const began = performance.now();
		await work();
		slowest = Math.max(slowest, performance.now() - began);
	}
	return [await felt, slowest];
}

/**
 * Measures how long pages of the console, and retention, hold the server's event loop, at the sizes of a large
 * account with open pages, and what another account feels of it.
 * @returns the report
 */
export async function measureLargeAccount(
	names: readonly string[],
	stores: readonly string[],
	seconds: number,
): Promise<string> {
	const rows: string[][] = [];
	const verdicts: string[] = [];
	for (const store of stores) {
		const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-'));
		const cluster = store === 'postgres' ? await startCluster([]) : undefined;
		await cluster?.createDatabase('bench');
		const url = cluster?.urlOf('bench') ?? '';
		const note = (name: string, idle: Figures, [during, took]: [Figures, number]) => {
			rows.push(toRow(`${name}, ${store}`, took, idle, during));
			const isMet = during.busy <= AIM_MS;
			verdicts.push(
				`${name}, ${store}: aim ≤ ${AIM_MS} ms of computing at once: ${verdict(isMet)}`,
			);
		};
		try {
			const database = await openDatabase({ directory, url });
			const session = await seedLargeAccount((job) => database.write(null, job), AGE_MS);
			await database.close();
			process.stderr.write(`${store} is seeded\n`);
			const start = (days: number) =>
				startProcess(directory, {
					nodeOptions: ['--no-warnings', '--import', LOOP_DELAY],
					settings: {
						BECKON_DATABASE_URL: url,
						BECKON_HISTORY_DAYS: String(days),
						BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
						BECKON_RATE_PER_ADDRESS: '10000000',
						BECKON_RATE_NOTIFICATIONS: '10000000',
					},
				});
			const server = await start(0);
			const bystander = new Bystander(server.url);
			let idle: Figures;
			try {
				await bystander.start();
				await bystander.feel(WARM_UP_SECONDS);
				const ask = async (path: string) => {
					const headers = { cookie: `beckon_session=${session}` };
					const answer = await fetch(`${server.url}/console/api${path}`, { headers });
					if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
					await answer.arrayBuffer();
				};
				await openPages(server.url);
				idle = await feel(server, bystander, seconds);
				for (const name of names.filter((one) => one in CONSOLE_PAGES)) {
					const path = CONSOLE_PAGES[name] ?? '';
					// The first takes longer than all others.
					await ask(path);
					idle = await feel(server, bystander, seconds);
					const feeling = feel(server, bystander, seconds);
					note(name, idle, await repeatWhile(feeling, () => ask(path)));
				}
				closePages();
			} finally {
				bystander.close();
				server.signal('SIGTERM');
				await server.finished;
			}
			if (names.includes(RETENTION)) note(RETENTION, idle, [await retention(start, seconds), NaN]);
		} finally {
			await cluster?.remove();
			rmSync(directory, { recursive: true });
		}
	}
	const sizes = Object.entries(SIZES).map(([name, size]) => `${whole(size)} ${name}`);
	return `Sizes: ${sizes.join(', ')}; ${whole(PAGES)} open pages.\n\n${table(HEADER, rows)}\n\n${verdicts.join('\n')}\n`;
}

/** A server that begins by deleting the history of the large account. */
async function retention(
	start: (days: number) => Promise<ServerProcess>,
	seconds: number,
): Promise<Figures> {
	const server = await start(1);
	const bystander = new Bystander(server.url);
	try {
		await bystander.start();
		return await feel(server, bystander, seconds);
	} finally {
		bystander.close();
		server.signal('SIGTERM');
		await server.finished;
	}
}
