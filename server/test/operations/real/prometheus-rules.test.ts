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

	const expectAlerts = (
		input_series: ReadonlyArray<{ series: string; values: string }>,
		alerts: readonly string[],
	) => {
		const firing = {
			expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
			eval_time: '30m',
			exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
		};
		const tests = [{ interval: '1m', input_series, promql_expr_test: [firing] }];
		const file = join(directory.path, 'rules-test.json');
		writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
		expect(promtool(['test', 'rules', file])).toMatchObject({
			status: 0,
			output: expect.stringContaining('SUCCESS'),
		});
	};

	const failed = 'beckon_delivery_attempts_total{gateway="apns",outcome="retry"}';
	const apns = '{what="push service apns"}';
	const errors = 'beckon_http_request_duration_seconds_count{status="503"}';
	it.each([
		// Back-off: five attempts in the first minutes, then one every ten.
		['a phone at home that cannot be reached', failed, '1 3 4 4 5 5 5 5 5 5 5x30', []],
		['a full disk, on which requests fail', errors, '0+30x60', ['BeckonErrors']],
		['a server that is down', 'up{job="beckon"}', '1x10 0x50', ['BeckonDown']],
		['a disk that fills', 'beckon_disk_free_bytes', '900e6-50e6x60', ['BeckonDiskFull']],
		['a tap that nothing takes', 'beckon_taps_oldest_seconds', '0+60x60', ['BeckonTapsWait']],
		['a tap that waits for a restart', 'beckon_taps_oldest_seconds', '0+60x5 0x60', []],
		['no backup since a day', 'beckon_backup_age_seconds', '129000+60x60', ['BeckonBackupOld']],
		['no backup at all', 'beckon_backup_age_seconds', 'Inf '.repeat(60), ['BeckonBackupOld']],
		['what fails for two phones', `beckon_failing_seconds${apns}`, '3000+60x60', ['BeckonFails']],
		['what failed for a moment', `beckon_failing_seconds${apns}`, '0+60x20 _x60', []],
	])('alerts of %s as one would wish', (_what, series, values, alerts) => {
		expectAlerts([{ series, values }], alerts);
	});

	it.each([
		['20 phones', 20, ['BeckonPushServiceFails']],
		['one phone to which much is sent', 1, []],
	])('alerts of a push service that fails for %s as one would wish', (_whom, phones, alerts) => {
		const unreached = 'beckon_phones_unreached{gateway="apns"}';
		const series = [{ series: failed, values: '0+20x60' }];
		expectAlerts([...series, { series: unreached, values: `${phones}x60` }], alerts);
	});

	it('lets a home sleep: a few pushes a day, one phone that is off, a backup each night', () => {
		const sent = 'beckon_delivery_attempts_total{gateway="apns",outcome="handed_over"}';
		expectAlerts(
			[
				{ series: 'up{job="beckon"}', values: '1x60' },
				{ series: sent, values: '0+0.1x60' },
				{ series: failed, values: '0x10 1 2 2 3 3 3 4 4 4 4x40' },
				{ series: 'beckon_outbox_oldest_seconds', values: '0x10 0+60x4 0x46' },
				{ series: 'beckon_outbox_pending', values: '0x60' },
				{ series: 'beckon_phones_registered{platform="ios"}', values: '2x60' },
				{ series: 'beckon_disk_free_bytes', values: '20e9x60' },
				{ series: 'beckon_taps_oldest_seconds', values: '0x60' },
				{ series: 'beckon_backup_age_seconds', values: '82800+60x60' },
			],
			[],
		);
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
