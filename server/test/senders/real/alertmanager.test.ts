import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../support/directory.ts';
import { freePort } from '../../support/free-port.ts';
import { requireProgram } from '../../support/programs.ts';
import { waitFor } from '../../support/wait.ts';
import { type Reached, startForSenders } from './start.ts';

requireProgram('prometheus-alertmanager');

/** Waits of a second instead of minutes, and every repeat sent again. */
const configuration = ({ host, key }: Reached) => `
route:
  receiver: beckon
  group_by: [alertname]
  group_wait: 1s
  group_interval: 1s
  repeat_interval: 1s
receivers:
  - name: beckon
    webhook_configs:
      - url: http://${host}/alertmanager
        max_alerts: 20
        http_config:
          authorization:
            credentials: ${key}
`;

describe('Prometheus Alertmanager', () => {
	const directory = temporaryDirectory();
	let reached: Reached;
	let url: string;
	let alertmanager: ChildProcess;
	let log = '';
	beforeAll(async () => {
		reached = await startForSenders();
		const file = join(directory.path, 'alertmanager.yml');
		writeFileSync(file, configuration(reached));
		const address = `127.0.0.1:${await freePort()}`;
		url = `http://${address}`;
		alertmanager = spawn(
			'prometheus-alertmanager',
			[
				`--config.file=${file}`,
				`--storage.path=${join(directory.path, 'data')}`,
				`--web.listen-address=${address}`,
				'--cluster.listen-address=',
			],
			{ stdio: ['ignore', 'pipe', 'pipe'] },
		);
		for (const output of [alertmanager.stdout, alertmanager.stderr])
			output?.setEncoding('utf8').on('data', (text: string) => (log += text));
		await waitFor('Alertmanager to be ready', () =>
			fetch(`${url}/-/ready`).then(
				({ ok }) => ok,
				() => false,
			),
		).catch((error: unknown) => {
			throw new Error(`Alertmanager did not start: ${log}`, { cause: error });
		});
	});
	afterAll(async () => {
		const ended = new Promise((resolve) => alertmanager.once('exit', resolve));
		alertmanager.kill('SIGTERM');
		await ended;
		await reached.server.close();
		directory.remove();
	});

	const inbox = () => reached.server.phone.inbox();
	const post = async (instance: string, times: { startsAt?: string; endsAt?: string } = {}) => {
		const alert = {
			labels: { alertname: 'DiskFull', severity: 'critical', instance },
			annotations: { summary: `${instance} is full` },
			generatorURL: 'http://127.0.0.1:9090/graph',
			...times,
		};
		const { status } = await fetch(`${url}/api/v2/alerts`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify([alert]),
		});
		expect(status).toBe(200);
	};
	const requests = async () => {
		const { context } = reached.server;
		await context.requests.flush();
		const rows = await context.database.read.selectFrom('request_counts').selectAll().execute();
		return rows.filter(({ status }) => status === 200).reduce((sum, row) => sum + row.requests, 0);
	};

	it('starts a Live Activity when an alert fires', async () => {
		await post('web-1');
		const start = await waitFor('the Live Activity', async () =>
			(await inbox()).find(({ kind }) => kind === 'activity_start'),
		);
		expect(start).toMatchObject({
			activity: {
				content_state: {
					title: 'DiskFull',
					message: 'web-1 is full',
					badge: { title: '1 firing', color: 'red' },
				},
				action: { url: 'http://127.0.0.1:9090/graph' },
				secondary_action: { url: expect.stringContaining('/#/silences/new?filter=%7B') },
			},
			alert: { title: 'DiskFull' },
		});
	});

	it('changes the Live Activity silently when the group grows', async () => {
		await post('web-2');
		const update = await waitFor('the update', async () =>
			(await inbox()).find(({ kind }) => kind === 'activity_update'),
		);
		expect(update.activity.content_state).toMatchObject({
			badge: { title: '2 firing' },
			message: 'web-1 is full\nweb-2 is full',
		});
		expect(update).not.toHaveProperty('alert');
	});

	it('sends nothing when the group is repeated', async () => {
		const sent = (await inbox()).length;
		const before = await requests();
		await waitFor('two repeats', async () => (await requests()) >= before + 2);
		expect(await inbox()).toHaveLength(sent);
	});

	it('offers a silence form that Alertmanager can read', async () => {
		const start = (await inbox()).find(({ kind }) => kind === 'activity_update');
		const link = new URL(start.activity.secondary_action.url);
		const filter = new URLSearchParams(link.hash.split('?')[1]).get('filter')!;
		const matchers = filter.slice(1, -1).split(', ');
		const query = new URLSearchParams(matchers.map((matcher) => ['filter', matcher]));
		const answer = await fetch(`${url}/api/v2/alerts?${query.toString()}`);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toHaveLength(2);
	});

	it('ends the Live Activity in green when all is resolved', async () => {
		const endsAt = new Date().toISOString();
		for (const instance of ['web-1', 'web-2']) await post(instance, { endsAt });
		const end = await waitFor('the end', async () =>
			(await inbox()).find(({ kind }) => kind === 'activity_end'),
		);
		expect(end.activity.content_state).toMatchObject({
			color: 'green',
			badge: { title: 'Resolved', color: 'green' },
		});
	});
});
