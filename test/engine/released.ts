import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** A package of an earlier version, as it was packed, without the pages. */
export interface ReleasedPackage {
	folder: string;
	remove: () => Promise<void>;
}

/** Unpacks a tarball of test/released/ where it finds the dependencies that are installed here. */
export async function unpackReleased(
	name: 'n8n-nodes-beckon' | 'beckon-server',
	version: string,
): Promise<ReleasedPackage> {
	const cache = path.join(ROOT, 'node_modules/.cache');
	await mkdir(cache, { recursive: true });
	const folder = await mkdtemp(path.join(cache, `${name}-`));
	const tarball = path.join(ROOT, 'test/released', `${name}-${version}.tgz`);
	await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	return { folder, remove: async () => await rm(folder, { recursive: true }) };
}
