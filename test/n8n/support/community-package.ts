import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { npm } from '../../../scripts/lib/npm.ts';

interface Manifest {
	name: string;
	version: string;
	devDependencies?: unknown;
	peerDependencies?: unknown;
	optionalDependencies?: unknown;
}

/** As n8n calls npm for a community package, in both lines. */
const NPM_INSTALL = [
	'install',
	'--audit=false',
	'--fund=false',
	'--bin-links=false',
	'--install-strategy=shallow',
	'--ignore-scripts=true',
	'--package-lock=false',
];

/**
 * Puts a packed package where n8n puts what is installed in Settings → Community Nodes, by n8n's
 * own steps; only the download is left out, as there is nothing published to download. n8n loads
 * what is there at every start.
 * @param userFolder N8N_USER_FOLDER of the n8n that gets the package
 */
export async function installCommunityPackage(tarball: string, userFolder: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	const folder = path.join(nodes, 'node_modules', 'n8n-nodes-beckon');
	mkdirSync(folder, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);

	const file = path.join(folder, 'package.json');
	const { devDependencies, peerDependencies, optionalDependencies, ...manifest } = JSON.parse(
		readFileSync(file, 'utf8'),
	) as Manifest;
	writeFileSync(file, JSON.stringify(manifest, null, 2));
	await npm(NPM_INSTALL, { cwd: folder, minutes: 2 });

	const installed = { dependencies: { [manifest.name]: manifest.version } };
	writeFileSync(
		path.join(nodes, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, ...installed }, null, 2),
	);
}
