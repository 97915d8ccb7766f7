import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { openDatabase } from '../../../src/store/open.ts';
import type { Db } from '../../../src/store/schema.ts';
import { startProcess, type ServerProcess } from '../../../test/support/process.ts';

/** This checkout. */
const CHECKOUT = join(import.meta.dirname, '../../../..');

/** The built program: run from source, Node.js would keep the compiler for its types in memory. */
const mainOf = (checkout: string) => join(checkout, 'server/dist/main.js');

/** Settings under which no request hits a rate limit; each is still counted. */
const UNLIMITED = {
	BECKON_RATE_PER_ADDRESS: '10000000',
	BECKON_RATE_NOTIFICATIONS: '10000000',
	BECKON_RATE_BADGES: '10000000',
	BECKON_RATE_LIVE_ACTIVITIES: '10000000',
	BECKON_RATE_METRICS: '10000000',
};

/** The Dockerfile's limits on the server's memory. */
const ENVIRONMENT = Object.fromEntries(
	[
		...readFileSync(join(import.meta.dirname, '../../../../Dockerfile'), 'utf8').matchAll(
			/^\s(NODE_OPTIONS|MALLOC_\w+)=(\S+)/gm,
		),
	].map(([, name = '', value = '']) => [name, value]),
);

/** Settings that leave Node.js and the allocator as they are. */
export const WITHOUT_MEMORY_SETTINGS = Object.fromEntries(
	Object.keys(ENVIRONMENT).map((name) => [name, undefined]),
);

export interface Beckon extends ServerProcess {
	/** The directory of the embedded store. */
	directory: string;
	close(): Promise<void>;
}

/** Opens a store with the checkout's code, whose tables may differ from ours. */
async function storeOf(checkout: string): Promise<{ openDatabase: typeof openDatabase }> {
	const folder = join(checkout, 'server/src/store');
	const file = ['open.ts', 'database.ts'].find((name) => existsSync(join(folder, name)));
	if (file === undefined) throw new Error(`${checkout} is no checkout of Beckon`);
	return (await import(join(folder, file))) as { openDatabase: typeof openDatabase };
}

/**
 * The real server in a separate process, on a store seeded beforehand.
 * @param url URL of an empty PostgreSQL database; the embedded store if empty
 * @param checkout the built checkout to run
 * @param settings in addition to those that lift the rate limits
 */
export async function startBeckon(
	seed: (write: Write) => Promise<void>,
	url = '',
	checkout = CHECKOUT,
	settings: Record<string, string | undefined> = {},
): Promise<Beckon> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-'));
	try {
		const { openDatabase } = await storeOf(checkout);
		const database = await openDatabase({ directory, url });
		await seed((job) => database.write(null, job));
		await database.close();
		const server = await startProcess(directory, {
			main: mainOf(checkout),
			settings: defined({
				...ENVIRONMENT,
				...UNLIMITED,
				BECKON_DATABASE_URL: url,
				...settings,
			}),
		});
		return {
			...server,
			directory,
			async close() {
				server.signal('SIGTERM');
				const { code, stderr } = await server.finished;
				rmSync(directory, { recursive: true });
				if (code !== 0) throw new Error(`The server ended badly: ${stderr}`);
			},
		};
	} catch (error) {
		rmSync(directory, { recursive: true });
		throw error;
	}
}

function defined(settings: Record<string, string | undefined>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(settings).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, value]],
		),
	);
}

/** A transaction of the seed. */
export type Write = <T>(job: (db: Db) => Promise<T>) => Promise<T>;
