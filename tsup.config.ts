import { cp, glob } from 'node:fs/promises';
import path from 'node:path';

import { defineConfig, type Options } from 'tsup';

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
	async onSuccess() {
		await cp('node_modules/commander/LICENSE', 'cli/dist/LICENSE-commander');
	},
	clean: true,
	silent: true,
};

export default defineConfig([nodePackage, commandLine]);
