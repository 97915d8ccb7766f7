import { readFileSync } from 'node:fs';

const manifest = JSON.parse(
	// Next to both the source folder and the built program's.
	readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** The version of this program, such as `0.1.0`. */
export const VERSION = manifest.version;
