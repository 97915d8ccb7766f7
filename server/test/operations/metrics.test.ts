import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhooks } from '../../src/delivery/webhooks.ts';
import { ServerMetrics } from '../../src/prometheus.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { followEvents } from '../support/events.ts';
import { runCli, runJson, type ServerProcess, startProcess } from '../support/process.ts';
import { waitFor, within } from '../support/wait.ts';

describe('GET /metrics', () => {
	const directory = temporaryDirectory();
	let server: ServerProcess;
	let url: string;
	let key: string;
	let token: string;

	beforeAll(async () => {
		const data = ['--data', directory.path];
		const account = ['--account', 'acme-of-the-east', ...data];
		await runJson([
			...['account', 'create', '--name', 'acme-of-the-east'],
			...['--owner', 'o@example.com', ...data],
		]);
		({ key } = await runJson(['key', 'create', '--name', 'n8n', ...account]));
		const { code } = await runJson(['device', 'pair-code', ...account]);
		server = await startProcess(directory.path, { settings: { BECKON_METRICS_PORT: '0' } });
		const log = await waitFor('the address of the metrics', () =>
			server
				.log()
				.split('\n')
				.find((line) => line.includes('"serving metrics"')),
		);
		({ url } = JSON.parse(log) as { url: string });
		const paired = await fetch(`${server.url}/device/pair`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ code, name: 'Phone', platform: 'web' }),
		});
		({ token } = (await paired.json()) as { token: string });
	});
	afterAll(async () => {
		server.signal('SIGTERM');
		await within('the end of the server', server.finished);
		directory.remove();
	});

	const read = async () => (await fetch(url)).text();
	/** The value of one line, by its name and all its labels. */
	const valueOf = async (line: string) => {
		const found = (await read()).split('\n').find((text) => text.startsWith(`${line} `));
		return found === undefined ? undefined : Number(found.slice(line.length));
	};
	const push = (authorization: string) =>
		fetch(`${server.url}/api/push-notification`, {
			method: 'POST',
			headers: { authorization, 'content-type': 'application/json' },
			body: '{"title":"Hello"}',
		});

	it('counts requests by the template of their route and their status', async () => {
		await push(`Bearer ${key}`);
		await push('Bearer wrong');
		await fetch(`${server.url}/api/metrics/cpu.load/value`, { method: 'POST' });
		await fetch(`${server.url}/nowhere/at/all`, { method: 'PUT' });
		const count = (method: string, route: string, status: number) =>
			valueOf(
				`beckon_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
			);
		expect(await count('POST', '/api/push-notification', 200)).toBe(1);
		expect(await count('POST', '/api/push-notification', 401)).toBe(1);
		expect(await count('POST', '/api/metrics/:key/value', 401)).toBe(1);
		expect(await count('any', 'none', 404)).toBe(1);
	});

	it('tells which version runs, as the program itself does', async () => {
		const { stdout } = await runCli(['--version']);
		expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
		expect(await read()).toContain(`beckon_build_info{version="${stdout.trim()}"} 1`);
	});

	it('does not sample the event loop by a timer', async () => {
		expect(await read()).toMatch(/^nodejs_eventloop_lag_seconds /m);
		expect(await read()).not.toMatch(/^nodejs_eventloop_lag_(p99|mean)_seconds /m);
	});

	it('counts the webhooks of buttons by what became of them', async () => {
		const metrics = new ServerMetrics();
		const webhooks = new Webhooks({
			allowPrivate: true,
			openPerAccount: 1,
			onResult: ({ kind }) => metrics.webhook(kind),
		});
		const tap = { id: 'a', user: 'b', device: 'c', at: '2026-03-01T12:00:00Z' };
		await webhooks.call('acc', { url: `${server.url}/readyz`, method: 'GET' }, tap);
		await webhooks.call('acc', { url: 'http://127.0.0.1:9/', method: 'GET' }, tap);
		expect(await metrics.read()).toContain('beckon_webhook_calls_total{outcome="responded"} 1');
		expect(await metrics.read()).toContain('beckon_webhook_calls_total{outcome="failed"} 1');
	});

	it('counts deliveries, commits and open streams, and shows what waits', async () => {
		const before = await valueOf(
			'beckon_delivery_attempts_total{gateway="inbox",outcome="stored"}',
		);
		expect(await valueOf('beckon_event_streams_open{of="phone"}')).toBe(0);
		const events = await followEvents(server.url, token);
		await push(`Bearer ${key}`);
		await events.waitForDeliveries(2);
		expect(await valueOf('beckon_event_streams_open{of="phone"}')).toBe(1);
		expect(await valueOf('beckon_delivery_attempts_total{gateway="inbox",outcome="stored"}')).toBe(
			before! + 1,
		);
		await waitFor('an empty outbox', async () => (await valueOf('beckon_outbox_pending')) === 0);
		expect(await valueOf('beckon_outbox_oldest_seconds')).toBe(0);
		expect(await valueOf('beckon_store_commit_duration_seconds_count')).toBeGreaterThan(1);
		await events.close();
	});

	it('shows the updates that wait for the token of an activity on an iPhone', async () => {
		const call = async (method: string, path: string, body: object, bearer?: string) => {
			const response = await fetch(server.url + path, {
				method,
				headers: {
					'content-type': 'application/json',
					...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
				},
				body: JSON.stringify(body),
			});
			expect(response.status).toBe(200);
			return (await response.json()) as { token: string; activity_id: string };
		};
		const stream = (content_state: object) =>
			call('PUT', '/api/live-activity/stream/backup', { content_state }, key);
		const waiting = async () => ({
			updates: await valueOf('beckon_activity_updates_waiting'),
			isAged: (await valueOf('beckon_activity_updates_oldest_seconds'))! > 0,
		});
		expect(await waiting()).toEqual({ updates: 0, isAged: false });

		const { code } = await runJson([
			...['device', 'pair-code', '--account', 'acme-of-the-east'],
			...['--data', directory.path],
		]);
		const iphone = await call('POST', '/device/pair', { code, name: 'iPhone', platform: 'ios' });
		const started = await stream({ type: 'progress', title: 'Backup', percentage: 0 });
		await stream({ percentage: 50 });
		expect(await waiting()).toEqual({ updates: 1, isAged: true });

		const place = `/device/activities/${started.activity_id}/token`;
		await call('PUT', place, { token: 'ab'.repeat(32) }, iphone.token);
		expect(await waiting()).toEqual({ updates: 0, isAged: false });
	});

	it('describes the process', async () => {
		expect(await valueOf('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
		expect(await valueOf('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
	});

	it('names nobody, and has labels of few values', async () => {
		const text = await read();
		for (const secret of [key, token, 'acme-of-the-east', 'o@example.com', 'cpu.load', 'nowhere'])
			expect(text).not.toContain(secret);
		const labels = new Set(
			[...text.matchAll(/^beckon_\w+\{([^}]*)\}/gm)].flatMap(([, inside]) =>
				[...inside!.matchAll(/(\w+)="/g)].map(([, name]) => name!),
			),
		);
		expect([...labels].sort()).toEqual([
			...['gateway', 'le', 'method', 'of', 'outcome', 'platform', 'route', 'status', 'version'],
		]);
	});

	it('is all that this port has, and is on no other', async () => {
		expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
		expect((await fetch(url, { method: 'POST' })).status).toBe(404);
		expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
	});
});
