import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { type Cluster, runAs } from './postgres-cluster.ts';
import { requireProgram } from './programs.ts';
import { waitFor, within } from './wait.ts';

type PoolMode = 'session' | 'transaction';

/** PgBouncer in front of a cluster, on a free port of the loopback address. */
export interface Pooler {
	/** The address of one of the cluster's databases, through the pooler. */
	urlOf(database: string): string;
	/** Kills it, which cuts every connection. */
	kill(): Promise<void>;
	/** Starts it after it was killed. @param mode another mode from now on */
	start(mode?: PoolMode): Promise<void>;
	/** Kills it and removes its files. */
	remove(): Promise<void>;
}

/** @throws with installation instructions if PgBouncer is not installed */
export async function startPooler(cluster: Cluster, firstMode: PoolMode): Promise<Pooler> {
	requireProgram('pgbouncer');
	const user = await runAs();
	const directory = mkdtempSync(join(tmpdir(), 'beckon-pooler-'));
	if (user) chownSync(directory, user.uid, user.gid);
	const [port, { username, password }] = [await freePort(), new URL(cluster.urlOf('postgres'))];
	const [settings, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')];
	writeFileSync(users, `"${username}" "${password}"\n`);
	let mode = firstMode;
	let pooler: ChildProcess | undefined;
	let output = '';

	const urlOf = (database: string) => {
		const url = new URL(cluster.urlOf(database));
		url.port = String(port);
		return url.href;
	};

	async function isUp(): Promise<boolean> {
		if (pooler?.exitCode != null) throw new Error(`PgBouncer ended:\n${output}`);
		const client = new pg.Client({ connectionString: urlOf('postgres') });
		return client.connect().then(
			() => client.end().then(() => true),
			() => false,
		);
	}

	const start = async (newMode = mode) => {
		mode = newMode;
		const lines = [
			'[databases]',
			`* = host=127.0.0.1 port=${cluster.port}`,
			'[pgbouncer]',
			'listen_addr = 127.0.0.1',
			`listen_port = ${port}`,
			'unix_socket_dir =',
			'auth_type = md5',
			`auth_file = ${users}`,
			`pool_mode = ${mode}`,
			// A session takes a connection for as long as it lasts.
			'default_pool_size = 60',
		];
		writeFileSync(settings, `${lines.join('\n')}\n`);
		output = '';
		pooler = spawn('pgbouncer', [settings], {
			...user,
			cwd: directory,
			stdio: ['ignore', 'ignore', 'pipe'],
		});
		pooler.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text));
		await waitFor('PgBouncer to start', isUp);
	};

	const kill = async () => {
		const killed = pooler;
		if (!killed || killed.exitCode !== null || killed.signalCode !== null) return;
		const end = new Promise((resolve) => killed.once('exit', resolve));
		killed.kill('SIGKILL');
		await within('PgBouncer to end', end);
	};

	await start();
	return {
		urlOf,
		start,
		kill,
		async remove() {
			await kill();
			rmSync(directory, { recursive: true });
		},
	};
}
