import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Fails a test file at once if a program that it runs is not installed, before it starts anything.
 * @param program as on the command line
 * @param debian the Debian package that brings it
 * @throws with the command that installs it
 */
export function requireProgram(program: string, debian = program): void {
	const folders = (process.env['PATH'] ?? '').split(delimiter);
	if (folders.some((folder) => existsSync(join(folder, program)))) return;
	throw new Error(
		`These tests run ${program}, which is not installed. Install it: apt-get install ${debian}`,
	);
}
