import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Packed } from '../lib/pack.ts';

const MAX_PACKED_BYTES = 100 * 1024;

/** The files that npm adds to every package. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

interface Manifest {
	dependencies?: Record<string, string>;
	n8n?: { nodes?: string[]; credentials?: string[] };
}

const names = (values: readonly string[]) => values.join(', ');

/** One built file per source file, and the files that n8n reads beside the code. */
function expectedFiles(root: string): Set<string> {
	const code = globSync('{nodes,credentials,src}/**/*.ts', { cwd: root }).map((file) =>
		file.replace(/\.ts$/, '.js'),
	);
	const assets = globSync(['icons/*.svg', 'nodes/**/*.node.json'], { cwd: root });
	return new Set([...ALWAYS, ...[...code, ...assets].map((file) => path.posix.join('dist', file))]);
}

/** Checks that every published file has a source here, and that none is left out. */
export function checkFiles(root: string, { files }: Packed): string[] {
	const expected = expectedFiles(root);
	const unexpected = files.filter((file) => !expected.delete(file));
	return [
		...(unexpected.length > 0 ? [`Not expected in the tarball: ${names(unexpected)}`] : []),
		...(expected.size > 0 ? [`Missing in the tarball: ${names([...expected])}`] : []),
	];
}

export function checkSize({ bytes }: Packed): string[] {
	return bytes < MAX_PACKED_BYTES
		? []
		: [`${bytes} bytes packed; ${MAX_PACKED_BYTES} is the limit`];
}

/** n8n verifies no package that has dependencies, and loads the files that the manifest names. */
export function checkManifest(folder: string, { files }: Packed): string[] {
	const json = readFileSync(path.join(folder, 'package.json'), 'utf8');
	const { dependencies = {}, n8n = {} } = JSON.parse(json) as Manifest;
	const entries = [...(n8n.nodes ?? []), ...(n8n.credentials ?? [])];
	const missing = entries.filter((entry) => !files.includes(entry));
	const brought = Object.keys(dependencies);
	return [
		...(brought.length > 0 ? [`Runtime dependencies: ${names(brought)}`] : []),
		...(entries.length === 0 ? ['The manifest names no nodes and no credentials'] : []),
		...(missing.length > 0 ? [`Named in the manifest, but not packed: ${names(missing)}`] : []),
	];
}
