import { afterAll, beforeAll, expect } from '@jest/globals';
import { temporaryDirectory } from './directory.ts';
import { runCli } from './process.ts';

/** Times and ids in the output. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const ID = (prefix: string) =>
	expect.stringMatching(new RegExp(`^${prefix}_[A-Za-z0-9_-]{16}$`));

/** Runs a command as people and scripts do; it must succeed, with nothing on standard error. */
function cliOf(common: readonly string[]) {
	const stdoutOf = async (args: readonly string[]): Promise<string> => {
		const { code, stdout, stderr } = await runCli([...args, ...common]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		return stdout;
	};
	return {
		/** The lines for people. */
		async lines(...args: string[]): Promise<string[]> {
			const stdout = await stdoutOf(args);
			expect(stdout.endsWith('\n')).toBe(true);
			return stdout.trimEnd().split('\n');
		},
		/** The JSON value for scripts: one line, and nothing else. */
		async json(...args: string[]): Promise<any> {
			const stdout = await stdoutOf([...args, '--json']);
			expect(stdout).toMatch(/^[^\n]+\n$/);
			return JSON.parse(stdout);
		},
	};
}

/** A data directory with the account `acme`, for the tests of a `describe`. */
export function cliWithAccount() {
	const directory = temporaryDirectory();
	const data = ['--data', directory.path];
	const cli = cliOf(data);
	beforeAll(() => cli.json('account', 'create', '--name', 'acme', '--owner', 'owner@example.com'));
	afterAll(() => directory.remove());
	return { directory, data, acme: ['--account', 'acme'], ...cli };
}
