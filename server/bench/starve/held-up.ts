import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { median } from '../../../bench/node/statistics.ts';
import { openDatabase } from '../../src/store/open.ts';
import { startCluster } from '../../test/support/postgres-cluster.ts';
import { type ServerProcess, startProcess } from '../../test/support/process.ts';
import { ms, table, verdict, whole } from '../api/report.ts';
import { Bystander } from './bystander.ts';
import { feel, type Figures, HEADER, heldBy, LOOP_DELAY, toReport } from './figures.ts';
import { ENTRIES, seedLargeAccount, SIZES } from './large-account.ts';
import { closePages, openPages, PAGES, pushToAll } from './open-pages.ts';
import { LOGS_SLOW, watchStatements } from './slow-statements.ts';

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

/** For the one transaction that stores a push for all phones. */
const STORED_AIM_MS = 200;

/** By then all pages know of a push, so that two are never measured together. */
const PAUSE_MS = 2_000;

/** Length of a measurement; each kind of page has one per round. */
const STRETCH_SECONDS = 1;

/** Repeats the work while its effect is measured. @returns the effect, and the longest time of one repetition */
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
 * Measures how long pages of the console, and retention, hold the server's event loop, at the sizes of a large account
 * with open pages, and how this affects another account.
 * @returns the report
 */
export async function measureLargeAccount(
	names: readonly string[],
	stores: readonly string[],
	rounds: number,
): Promise<string> {
	const reports: Array<ReturnType<typeof toReport>> = [];
	const notes: string[] = [];
	for (const store of stores) {
		const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-'));
		const cluster = store === 'postgres' ? await startCluster(LOGS_SLOW) : undefined;
		await cluster?.createDatabase('bench');
		const url = cluster?.urlOf('bench') ?? '';
		try {
			// Its statements take PostgreSQL longer than a request may.
			const database = await openDatabase({ directory, url }, { hasNoTimeouts: true });
			const session = await seedLargeAccount((job) => database.write(null, job), AGE_MS);
			await database.close();
			process.stderr.write(`${store} is seeded\n`);
			const slowStatements = watchStatements(cluster);
			const start = (days: number) =>
				startProcess(directory, {
					nodeOptions: ['--no-warnings', '--import', LOOP_DELAY],
					settings: {
						BECKON_DATABASE_URL: url,
						BECKON_HISTORY_DAYS: String(days),
						BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
						BECKON_RATE_PER_ADDRESS: '10000000',
						BECKON_RATE_PER_DEVICE: '10000000',
						BECKON_RATE_NOTIFICATIONS: '10000000',
					},
				});
			const pages = names.filter((name) => name in CONSOLE_PAGES);
			const { idle, felt } = await askForPages(await start(0), session, { pages, rounds });
			for (const [page, { during, slowest }] of felt)
				reports.push(toReport(`${page}, ${store}`, median(slowest), idle, during));
			if (names.includes(RETENTION)) {
				const during = await retention(await start(1), rounds);
				reports.push(toReport(`${RETENTION}, ${store}`, NaN, idle, during));
			}
			notes.push(...slowStatements());
			const stored = await storePushes(await start(0), rounds);
			notes.push(
				`a push for ${whole(SIZES.phones)} phones, ${store}: stored in one transaction of ${ms(stored)} (aim ≤ ${STORED_AIM_MS} ms: ${verdict(stored <= STORED_AIM_MS)})`,
			);
		} finally {
			await cluster?.remove();
			rmSync(directory, { recursive: true });
		}
	}
	const sizes = Object.entries(SIZES).map(([name, size]) => `${whole(size)} ${name}`);
	return [
		`Sizes: ${sizes.join(', ')}; ${whole(PAGES)} open pages.`,
		table(
			HEADER,
			reports.map(({ row }) => row),
		),
		[...reports.map((one) => one.verdict), ...notes.map((note) => `- ${note}`)].join('\n'),
	].join('\n\n');
}

interface Asked {
	during: Figures[];
	/** The longest time of an answer in each round. */
	slowest: number[];
}

/** Asks for each page in turn, in each round, while all pages of phones are open. */
async function askForPages(
	server: ServerProcess,
	session: string,
	{ pages, rounds }: { pages: readonly string[]; rounds: number },
): Promise<{ idle: Figures[]; felt: Map<string, Asked> }> {
	const bystander = new Bystander(server.url);
	const idle: Figures[] = [];
	const felt = new Map(pages.map((name): [string, Asked] => [name, { during: [], slowest: [] }]));
	const ask = async (path: string) => {
		const headers = { cookie: `beckon_session=${session}` };
		const answer = await fetch(`${server.url}/console/api${path}`, { headers });
		if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
		await answer.arrayBuffer();
	};
	try {
		await bystander.start();
		await openPages(server.url);
		await bystander.feel(WARM_UP_SECONDS);
		// The first takes longer than all others.
		for (const name of pages) await ask(CONSOLE_PAGES[name] ?? '');
		for (let round = 0; round < rounds; round += 1) {
			idle.push(await feel(server, bystander, STRETCH_SECONDS));
			for (const [name, { during, slowest }] of felt) {
				const feeling = feel(server, bystander, STRETCH_SECONDS);
				const [figures, longest] = await repeatWhile(feeling, () => ask(CONSOLE_PAGES[name] ?? ''));
				during.push(figures);
				slowest.push(longest);
			}
		}
		closePages();
		return { idle, felt };
	} finally {
		bystander.close();
		server.signal('SIGTERM');
		await server.finished;
	}
}

/** @returns the longest time of a transaction that stores a push for all phones, while pages are open: its median */
async function storePushes(server: ServerProcess, rounds: number): Promise<number> {
	const longest: number[] = [];
	try {
		await openPages(server.url);
		for (let round = 0; round < rounds; round += 1) {
			await heldBy(server);
			const status = await pushToAll(server.url, `Push ${round}`);
			if (status !== 200) throw new Error(`A push was answered ${status}`);
			longest.push((await heldBy(server)).open);
			await setTimeout(PAUSE_MS);
		}
		closePages();
		return median(longest);
	} finally {
		server.signal('SIGTERM');
		await server.finished;
	}
}

/** @param server begins by deleting the history of the large account, which takes longer than all measurements */
async function retention(server: ServerProcess, rounds: number): Promise<Figures[]> {
	const bystander = new Bystander(server.url);
	const during: Figures[] = [];
	try {
		await bystander.start();
		await bystander.feel(WARM_UP_SECONDS);
		for (let round = 0; round < rounds; round += 1)
			during.push(await feel(server, bystander, STRETCH_SECONDS));
		return during;
	} finally {
		bystander.close();
		server.signal('SIGTERM');
		await server.finished;
	}
}
