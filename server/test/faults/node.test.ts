import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { seed, type ServerProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';
import { type Caddy, startCaddyForSeveral } from './support/caddy.ts';
import { titlesArrived } from './support/inbox.ts';

/** The node in n8n's engine, as a process: the two packages meet only on the wire. */
const LOAD = join(import.meta.dirname, '../../../test/load/main.ts');

const SERVERS = 3;
const AWAY_MS = 8_000;
describe('executions of the node, with three servers behind Caddy on PostgreSQL', () => {
	let cluster: Cluster;
	let caddy: Caddy | undefined;
	let settings: Record<string, string>;
	let servers: ServerProcess[] = [];
	let ports: number[];
	let demo: { key: string; device_token: string };

	const startOne = (port: number) => startProcess('unused', { settings, port });
	const isReady = ({ url }: ServerProcess) => fetch(`${url}/readyz`).then(({ ok }) => ok);

	beforeAll(async () => {
		cluster = await startCluster();
		await cluster.createDatabase('beckon');
		settings = {
			BECKON_DATABASE_URL: cluster.urlOf('beckon'),
			BECKON_DRAIN_SECONDS: '3',
			BECKON_TRUSTED_PROXIES: '127.0.0.1',
			BECKON_RATE_NOTIFICATIONS: '1000000',
			BECKON_RATE_PER_ADDRESS: '1000000',
		};
		demo = await seed(undefined, settings);
		ports = await Promise.all(Array.from({ length: SERVERS }, () => freePort()));
		servers = await Promise.all(ports.map(startOne));
		caddy = await startCaddyForSeveral(servers.map(({ url }) => url));
	});
	afterAll(async () => {
		await caddy?.close();
		for (const server of servers) server.signal('SIGKILL');
		await Promise.all(servers.map((server) => server.finished));
		await cluster.remove();
	});

	/** Runs the node all the while. */
	async function during(
		name: string,
		work: (goesOn: () => Promise<void>) => Promise<void>,
	): Promise<void> {
		const access = ['--base-url', `${caddy!.url}/api`, '--api-key', demo.key];
		const child = spawn(process.execPath, ['--no-warnings', LOAD, '--name', name, ...access], {
			stdio: ['pipe', 'pipe', 'inherit'],
			env: { ...process.env, NODE_OPTIONS: '' },
		});
		let output = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
		const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
		const executed = () => output.split('\n').length - 1;
		const goesOn = async () => {
			const before = executed();
			await waitFor('further executions', () => executed() > before + 10);
		};
		try {
			await goesOn();
			await work(goesOn);
		} finally {
			child.stdin.end();
		}
		expect(await ended).toBe(0);
		const { titles, failures } = JSON.parse(output.trimEnd().split('\n').at(-1)!) as {
			titles: string[];
			failures: string[];
		};
		expect(failures).toEqual([]);
		const arrived = async () =>
			(await titlesArrived(caddy!.url, demo.device_token)).filter((title) =>
				title.startsWith(name),
			);
		// What was stored may be delivered later.
		await waitFor('all items', async () => (await arrived()).length >= titles.length);
		expect((await arrived()).toSorted()).toEqual(titles.toSorted());
		process.stdout.write(`${titles.length} items, each of which arrived once\n`);
	}

	it('do not fail while one server after the other is restarted', () =>
		during('restarts', async (goesOn) => {
			for (const [index, port] of ports.entries()) {
				const server = servers[index]!;
				server.signal('SIGTERM');
				expect((await server.finished).code).toBe(0);
				servers[index] = await startOne(port);
				await waitFor('the server to be ready', () => isReady(servers[index]!));
				// Until Caddy has noticed.
				await setTimeout(1_000);
				await goesOn();
			}
		}));

	it('do not fail while PostgreSQL is away', () =>
		during('outage', async (goesOn) => {
			await cluster.halt('fast');
			await setTimeout(AWAY_MS);
			await cluster.resume();
			await goesOn();
		}));
});
