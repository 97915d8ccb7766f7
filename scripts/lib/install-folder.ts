import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { npm } from './npm.ts';

export interface FolderOptions {
	/** Printed before a first install, such as how long it takes. */
	announcement: string;
	/** Packages whose install script must run; no other package's script does. */
	builds?: readonly string[];
	minutes?: number;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Two installs are the same if their lock, settings and Node version are. */
function fingerprint(folder: string): string {
	const hash = createHash('sha256').update(process.versions.modules);
	for (const file of ['package-lock.json', '.npmrc']) {
		hash.update(readFileSync(path.join(folder, file)));
	}
	return hash.digest('hex');
}

/**
 * Installs the packages of a folder's lock file, unless they are installed already. Such folders hold
 * packages that only one command needs and that must not be mixed with the other dependencies.
 * @throws with npm's words if an install failed
 */
export async function installFolder(
	folder: string,
	{ announcement, builds = [], minutes = 20 }: FolderOptions,
): Promise<void> {
	const stamp = path.join(folder, 'node_modules', '.installed-lock');
	const wanted = fingerprint(folder);
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

	say(announcement);
	const started = Date.now();
	// Not `ci`, for the reason given in scripts/install.mjs.
	const install = ['install', '--no-save', '--ignore-scripts'];
	await npm(install, { cwd: folder, minutes, progress: 'shown' });
	if (builds.length > 0) {
		await npm(['rebuild', '--ignore-scripts=false', ...builds], { cwd: folder, minutes });
	}
	writeFileSync(stamp, wanted);
	say(`Installed in ${Math.round((Date.now() - started) / 1_000)} seconds.`);
}
