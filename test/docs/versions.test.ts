import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../scripts/lib/root.ts';

interface Manifest {
	name: string;
	version?: string;
}

interface LockFile extends Manifest {
	packages: Record<string, Manifest>;
}

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const readJson = (file: string) => JSON.parse(textOf(file)) as unknown;

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
	.trim()
	.split('\n');

/** Our manifests that have a version: others only mark a folder, or pin programs for a test. */
const manifests = tracked
	.filter((file) => path.basename(file) === 'package.json')
	.map((file) => ({ file, ...(readJson(file) as Manifest) }))
	.filter(({ version }) => version !== undefined);

test('all packages and the app are released under one version', () => {
	const { version } = readJson('package.json') as Manifest;
	const names = new Set(manifests.map(({ name }) => name));
	const inLockFiles = tracked
		.filter((file) => path.basename(file) === 'package-lock.json')
		.flatMap((file) => {
			const { packages, ...whole } = readJson(file) as LockFile;
			return [whole, ...Object.values(packages)]
				.filter(({ name }) => names.has(name))
				.map((entry) => ({ file, name: entry.name, version: entry.version }));
		});
	const named = [
		...manifests.map(({ file, name, version: own }) => ({ file, name, version: own })),
		...inLockFiles,
		{
			file: 'app/app.config.ts',
			name: 'what iOS shows',
			version: /^\tversion: '(.*)',$/m.exec(textOf('app/app.config.ts'))?.[1],
		},
		{
			file: 'CHANGELOG.md',
			name: 'its newest entry',
			version: /^## \[(.*?)\]/m.exec(textOf('CHANGELOG.md'))?.[1],
		},
	];
	expect(manifests.length).toBeGreaterThan(3);
	expect(inLockFiles.length).toBeGreaterThan(manifests.length);
	expect(named.filter((entry) => entry.version !== version)).toEqual([]);
});
