import { expect } from '@jest/globals';
import type { Finished } from './process.ts';

/** Checks for exit code 1 and exactly these lines on standard error, without a stack trace. */
export function holdLines(
	{ code, stdout, stderr }: Finished,
	...expected: Array<RegExp | string>
): void {
	expect(stdout).toBe('');
	expect(stderr.trimEnd().split('\n')).toEqual(
		expected.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
	);
	expect(stderr).not.toMatch(/^ +at |node:internal/m);
	expect(code).toBe(1);
}
