import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a temporary folder for a test, with a function to remove it. */
export function temporaryDirectory(): { path: string; remove(): void } {
	const path = mkdtempSync(join(tmpdir(), 'beckon-test-'));
	return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The names of files below `directory` that hold one of `secrets` in clear. */
export function filesThatHold(directory: string, secrets: readonly string[]): string[] {
	return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
		const file = join(directory, name);
		if (!statSync(file).isFile()) return false;
		const content = readFileSync(file);
		return secrets.some((secret) => content.includes(secret));
	});
}
