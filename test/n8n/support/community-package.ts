import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { npm } from '../../../scripts/lib/npm.ts';

interface Manifest {
	name: string;
	version: string;
}

/** The parts that n8n removes from a package's manifest, so npm installs nothing that n8n already has. */
const LEFT_OUT = ['devDependencies', 'peerDependencies', 'optionalDependencies'];

/** n8n's npm call for a community package, the same in both lines. */
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
 * Installs a packed package where Settings → Community Nodes does, by n8n's own steps; only the
 * download is left out, because nothing is published yet. n8n loads the package at every start.
 * @param userFolder N8N_USER_FOLDER of the n8n that gets the package
 */
export async function installCommunityPackage(tarball: string, userFolder: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	const folder = path.join(nodes, 'node_modules', 'n8n-nodes-beckon');
	mkdirSync(folder, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);

	const file = path.join(folder, 'package.json');
	const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
	const kept = Object.entries(manifest).filter(([field]) => !LEFT_OUT.includes(field));
	writeFileSync(file, JSON.stringify(Object.fromEntries(kept), null, 2));
	await npm(NPM_INSTALL, { cwd: folder, minutes: 2 });

	const installed = { dependencies: { [manifest.name]: manifest.version } };
	writeFileSync(
		path.join(nodes, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, ...installed }, null, 2),
	);
}
