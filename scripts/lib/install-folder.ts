import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { npm } from './npm.ts';

export interface FolderOptions {
	/** What is said before a first install, such as how long it takes. */
	announcement: string;
	/** Packages with an install script that must run; the scripts of all others do not. */
	builds?: readonly string[];
	minutes?: number;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Two installs are the same when the lock, the settings and the Node they are built for are. */
function fingerprint(folder: string): string {
	const hash = createHash('sha256').update(process.versions.modules);
	for (const file of ['package-lock.json', '.npmrc']) {
		hash.update(readFileSync(path.join(folder, file)));
	}
	return hash.digest('hex');
}

/**
 * Installs what the lock file of a folder names, unless that is what is installed already. Such
 * folders hold what only one command needs and what may not stand beside the other dependencies.
 * @throws with npm's words when something could not be installed
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
	// Not `ci`, for the reason that scripts/install.mjs has.
	const install = ['install', '--no-save', '--ignore-scripts'];
	await npm(install, { cwd: folder, minutes, progress: 'shown' });
	if (builds.length > 0) {
		await npm(['rebuild', '--ignore-scripts=false', ...builds], { cwd: folder, minutes });
	}
	writeFileSync(stamp, wanted);
	say(`Installed in ${Math.round((Date.now() - started) / 1_000)} seconds.`);
}
