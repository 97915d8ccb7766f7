import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licenses } from '../scripts/licenses.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The phone page: `dist/web/phone/index.html`, served at /phone, with its assets under /phone/assets/.
 * File names there carry a hash of their content, so they can be cached forever.
 */
export default defineConfig({
	root: here('./phone'),
	base: '/phone/',
	plugins: [react(), licenses('licenses.txt')],
	build: {
		outDir: here('../dist/web/phone'),
		emptyOutDir: true,
		// Inlined assets would be data: URLs, which a strict policy forbids for all but images.
		assetsInlineLimit: 0,
		// Vite's preload helper for old browsers would be an inline script.
		modulePreload: { polyfill: false },
		target: 'es2022',
	},
	server: {
		proxy: { '/device': { target: process.env.BECKON_URL ?? 'http://127.0.0.1:8787' } },
	},
});
