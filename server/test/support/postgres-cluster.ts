import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
	chownSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { waitFor, within } from './wait.ts';

/** The folder where Debian and its derivatives put each version's programs. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Test data is worth nothing after a crash of the machine; it survives a crash of PostgreSQL. */
const FAST = [
	'fsync=off',
	'full_page_writes=off',
	'autovacuum_naptime=10min',
	'max_wal_size=4GB',
	'checkpoint_timeout=1h',
];

/** A separate PostgreSQL, in a temporary directory, on a free port of the loopback address. */
export interface Cluster {
	port: number;
	/** The major version, such as 15. */
	version: number;
	/** The address of one of its databases, for a user who may create more. */
	urlOf(database: string): string;
	/** The folder of its socket. */
	socketFolder: string;
	/** Does nothing if the name exists. */
	createDatabase(name: string, options?: string): Promise<void>;
	dropDatabase(name: string): Promise<void>;
	/** `fast`: ends every session at once, as an administrator may. `crash`: dies as in a crash. */
	halt(how: 'fast' | 'crash'): Promise<void>;
	/**
	 * Suspends processes: connections stay, and nothing answers. `sessions`: only those of the sessions open now,
	 * so that new ones can be opened.
	 * @returns a function that resumes them
	 */
	freeze(what?: 'all' | 'sessions'): () => void;
	/** Starts it again after a halt. */
	resume(): Promise<void>;
	/** Halts it and removes its files. */
	remove(): Promise<void>;
}

/** The folder of its programs. @throws with installation instructions if PostgreSQL is not installed */
export function programs(): string {
	const folders = existsSync(DEBIAN_FOLDER)
		? readdirSync(DEBIAN_FOLDER)
				.sort((a, b) => Number(b) - Number(a))
				.map((version) => join(DEBIAN_FOLDER, version, 'bin'))
		: [];
	const candidates = [...(process.env.PATH ?? '').split(delimiter), ...folders];
	const found = candidates.find((folder) =>
		['initdb', 'postgres', 'pg_dump'].every((program) => existsSync(join(folder, program))),
	);
	if (found === undefined) {
		throw new Error(
			'PostgreSQL is not installed. Install it, then run this again: apt-get install postgresql',
		);
	}
	return found;
}

async function idOf(flag: '-u' | '-g', user: string): Promise<number | undefined> {
	const result = await promisify(execFile)('id', [flag, user]).catch(() => undefined);
	return result && Number(result.stdout);
}

/** PostgreSQL and its pooler refuse to run as root: then use PostgreSQL's own user, or nobody. */
export async function runAs(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	for (const user of ['postgres', 'nobody']) {
		const [uid, gid] = [await idOf('-u', user), await idOf('-g', user)];
		if (uid !== undefined && gid !== undefined) return { uid, gid };
	}
	throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
}

/** @param settings of PostgreSQL, as `name=value` */
export async function startCluster(settings: readonly string[] = FAST): Promise<Cluster> {
	const bin = programs();
	const user = await runAs();
	const directory = mkdtempSync(join(tmpdir(), 'beckon-postgres-'));
	const data = join(directory, 'data');
	const password = randomBytes(12).toString('hex');
	const passwordFile = join(directory, 'password');
	writeFileSync(passwordFile, password, { mode: 0o644 });
	if (user) chownSync(directory, user.uid, user.gid);
	await promisify(execFile)(
		join(bin, 'initdb'),
		[
			...['--pgdata', data, '--username', 'beckon', '--pwfile', passwordFile],
			...['--auth', 'md5', '--encoding', 'UTF8', '--no-locale', '--no-sync'],
		],
		{ ...user, cwd: directory },
	);
	const port = await freePort();
	let server: ChildProcess | undefined;
	let output = '';

	const urlOf = (database: string) => `postgres://beckon:${password}@127.0.0.1:${port}/${database}`;

	async function administrate(statement: string): Promise<void> {
		const client = new pg.Client({ connectionString: urlOf('postgres') });
		await client.connect();
		try {
			await client.query(statement);
		} finally {
			await client.end();
		}
	}

	async function isUp(): Promise<boolean> {
		if (server?.exitCode != null) throw new Error(`PostgreSQL ended:\n${output}`);
		return administrate('select 1').then(
			() => true,
			() => false,
		);
	}

	async function resume(): Promise<void> {
		const all = [
			...settings,
			`port=${port}`,
			'listen_addresses=127.0.0.1',
			`unix_socket_directories=${directory}`,
			'max_connections=300',
		].flatMap((setting) => ['-c', setting]);
		output = '';
		server = spawn(join(bin, 'postgres'), ['-D', data, ...all], {
			...user,
			cwd: directory,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		for (const stream of [server.stdout, server.stderr])
			stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
		await waitFor('PostgreSQL to start', isUp);
	}

	async function halt(how: 'fast' | 'crash'): Promise<void> {
		const halted = server;
		if (!halted || halted.exitCode !== null || halted.signalCode !== null) return;
		const end = new Promise((resolve) => halted.once('exit', resolve));
		halted.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
		await within('PostgreSQL to stop', end);
	}

	await resume();
	return {
		port,
		version: Number.parseInt(readFileSync(join(data, 'PG_VERSION'), 'utf8'), 10),
		urlOf,
		socketFolder: directory,
		async createDatabase(name, options = '') {
			await administrate(`create database "${name}" ${options}`).catch((error: unknown) => {
				const isThere = error instanceof pg.DatabaseError && error.code === '42P04';
				if (!isThere) throw error;
			});
		},
		dropDatabase: (name) => administrate(`drop database if exists "${name}" with (force)`),
		halt,
		freeze(what = 'all') {
			const pid = server?.pid ?? 0;
			const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
			// One of its own processes may end meanwhile.
			const isSession = (one: string) =>
				existsSync(`/proc/${one}`) &&
				readFileSync(`/proc/${one}/cmdline`, 'utf8').startsWith('postgres: beckon ');
			const pids =
				what === 'all' ? [pid, ...children.map(Number)] : children.filter(isSession).map(Number);
			for (const one of pids) process.kill(one, 'SIGSTOP');
			return () => {
				for (const one of pids) process.kill(one, 'SIGCONT');
			};
		},
		resume,
		async remove() {
			await halt('fast');
			rmSync(directory, { recursive: true, force: true });
		},
	};
}
