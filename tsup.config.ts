import { cp, glob } from 'node:fs/promises';
import path from 'node:path';

import { defineConfig } from 'tsup';

/** What n8n reads beside the code: it finds icons and codex files relative to the built node. */
const ASSETS = ['icons/*.svg', 'nodes/**/*.node.json'];

/** One output file per source file, as n8n loads nodes and credentials by their path. */
export default defineConfig({
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
});
