import { cp, glob, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { defineConfig, type Options } from 'tsup';

import { noticesOf } from './server/scripts/licenses.ts';

/** What n8n reads beside the code: it finds icons and codex files relative to the built node. */
const ASSETS = ['icons/*.svg', 'nodes/**/*.node.json'];

/** One output file per source file, as n8n loads nodes and credentials by their path. */
const nodePackage: Options = {
	entry: ['nodes/**/*.ts', 'credentials/**/*.ts', 'src/**/*.ts'],
	outDir: 'dist',
	format: 'cjs',
	target: 'node20',
	bundle: false,
	clean: true,
	silent: true,
	async onSuccess() {
		for await (const file of glob(ASSETS)) await cp(file, path.join('dist', file));
	},
};

/** One file with all it needs. */
const commandLine: Options = {
	entry: { beckon: 'cli/src/main.ts' },
	outDir: 'cli/dist',
	format: 'cjs',
	target: 'node20',
	noExternal: [/./],
	banner: { js: '#!/usr/bin/env node' },
	esbuildPlugins: [
		{
			name: 'licenses',
			setup(build) {
				build.initialOptions.metafile = true;
				build.onEnd(async ({ metafile }) => {
					const modules = Object.keys(metafile?.inputs ?? {}).map((file) => path.resolve(file));
					// The first build gets here before tsup has written anything.
					await mkdir('cli/dist', { recursive: true });
					await writeFile('cli/dist/THIRD-PARTY-LICENSES.md', noticesOf(modules));
				});
			},
		},
	],
	clean: true,
	silent: true,
};

export default defineConfig([nodePackage, commandLine]);
