import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { licenses } from '../scripts/licenses.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PAGE = here('../dist/web/phone');
const WORKER = 'sw.js';

/** The files the page itself loads. Icons are for the system, which keeps its own copies. */
const SHELL = /^\/(index\.html|assets\/[^/]+\.(js|css|svg))$/;

/** The page's built files, and a version derived from exactly those. */
function shell(): { files: string[]; version: string } {
	const hash = createHash('sha256');
	const names = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
		.map((name) => `/${name}`)
		.filter((name) => SHELL.test(name))
		.sort();
	for (const name of names) hash.update(name).update(readFileSync(join(PAGE, name)));
	// The page itself is served without its file name.
	const files = names.map((name) => (name === '/index.html' ? '/phone' : `/phone${name}`));
	return { files, version: hash.digest('hex').slice(0, 12) };
}

/** Gives the worker the names of the page's files. Read only during the build: before it there are none. */
const nameShell: Plugin = {
	name: 'name-shell',
	config() {
		const { files, version } = shell();
		return {
			define: { SHELL_FILES: JSON.stringify(files), SHELL_VERSION: JSON.stringify(version) },
		};
	},
};

/**
 * The phone's service worker: one file, `/phone/sw.js`, whose name must never change. It is built after
 * the page, because it names the page's files.
 */
export default defineConfig({
	root: here('./worker'),
	plugins: [nameShell, licenses('worker-licenses.txt')],
	build: {
		outDir: PAGE,
		emptyOutDir: false,
		copyPublicDir: false,
		modulePreload: false,
		target: 'es2022',
		rollupOptions: {
			input: here('./worker/main.ts'),
			output: { format: 'iife' as const, entryFileNames: WORKER },
		},
	},
});
