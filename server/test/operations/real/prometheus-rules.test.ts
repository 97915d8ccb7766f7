import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
	}, 60_000);
	afterAll(async () => {
		server.signal('SIGTERM');
		await within('the end of the server', server.finished, 20_000);
		directory.remove();
	});

	it('has rules that Prometheus takes', () => {
		expect(promtool(['check', 'rules', RULES])).toMatchObject({
			status: 0,
			output: expect.stringMatching(/SUCCESS: \d+ rules found/),
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
