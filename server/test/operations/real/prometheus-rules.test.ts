import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../support/directory.ts';
import { requireProgram } from '../../support/programs.ts';
import { type ServerProcess, startProcess } from '../../support/process.ts';
import { waitFor, within } from '../../support/wait.ts';

requireProgram('promtool', 'prometheus');

const RULES = join(import.meta.dirname, '../../../../deploy/prometheus-rules.yml');

function promtool(args: readonly string[], input = '') {
	const { stdout, stderr, status } = spawnSync('promtool', args, { input, encoding: 'utf8' });
	return { status, output: `${stdout}${stderr}` };
}

describe('deploy/prometheus-rules.yml', () => {
	const directory = temporaryDirectory();
	let server: ServerProcess;
	let metrics: string;
	beforeAll(async () => {
		server = await startProcess(directory.path, { settings: { BECKON_METRICS_PORT: '0' } });
		const address = await waitFor(
			'the address of the metrics',
			() => /"url":"([^"]+\/metrics)"/.exec(server.log())?.[1],
		);
		metrics = await (await fetch(address)).text();
	});
	afterAll(async () => {
		server.signal('SIGTERM');
		await within('the end of the server', server.finished);
		directory.remove();
	});

	it('has rules that Prometheus takes', () => {
		expect(promtool(['check', 'rules', RULES])).toMatchObject({
			status: 0,
			output: expect.stringMatching(/SUCCESS: \d+ rules found/),
		});
	});

	const failed = 'beckon_delivery_attempts_total{gateway="apns",outcome="retry"}';
	const errors = 'beckon_http_request_duration_seconds_count{status="503"}';
	it.each([
		// Back-off: five attempts in the first minutes, then one every ten.
		['a phone at home that cannot be reached', failed, '1 3 4 4 5 5 5 5 5 5 5x30', []],
		['a push service that fails for 20 phones', failed, '0+20x60', ['BeckonPushServiceFails']],
		['a full disk, on which requests fail', errors, '0+30x60', ['BeckonErrors']],
		['a server that is down', 'up{job="beckon"}', '1x10 0x50', ['BeckonDown']],
	])('alerts of %s as one would wish', (_what, series, values, alerts) => {
		const firing = {
			expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
			eval_time: '30m',
			exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
		};
		const tests = [
			{ interval: '1m', input_series: [{ series, values }], promql_expr_test: [firing] },
		];
		const file = join(directory.path, 'rules-test.json');
		writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
		expect(promtool(['test', 'rules', file])).toMatchObject({
			status: 0,
			output: expect.stringContaining('SUCCESS'),
		});
	});

	it('is about metrics that a running server has', () => {
		const named = readFileSync(RULES, 'utf8').match(/\bbeckon_\w+/g)!;
		const has = new Set(metrics.match(/^\w+/gm));
		for (const name of new Set(metrics.match(/(?<=^# TYPE )\w+(?= histogram$)/gm)))
			for (const part of ['bucket', 'sum', 'count']) has.add(`${name}_${part}`);
		expect(named.length).toBeGreaterThan(5);
		expect(named.filter((name) => !has.has(name) && !metrics.includes(`# TYPE ${name} `))).toEqual(
			[],
		);
	});

	it('has the server’s own metrics named as Prometheus advises', () => {
		const { output } = promtool(['check', 'metrics'], metrics);
		expect(output.split('\n').filter((line) => line.startsWith('beckon_'))).toEqual([]);
	});
});
