import { expect } from '@jest/globals';
import { runCli } from './process.ts';

/** Runs a command as people and scripts do; it must succeed, with nothing on standard error. */
export function cliOf(common: readonly string[]) {
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
