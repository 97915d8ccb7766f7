import { expect, it } from '@jest/globals';
import { runCli } from '../support/process.ts';

it('--help and --version say what there is', async () => {
	const { code, stdout } = await runCli(['--help']);
	expect(code).toBe(0);
	for (const verb of [
		'start',
		'account',
		'user',
		'key',
		'channel',
		'device',
		'metric',
		'history',
	]) {
		expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
	}
	expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
