import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The console: `dist/web/console/index.html`, served at /console; otherwise like vite.config.ts. */
export default defineConfig({
	root: here('./console'),
	base: '/console/',
	plugins: [react()],
	build: {
		outDir: here('../dist/web/console'),
		emptyOutDir: true,
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		target: 'es2022',
	},
	server: {
		proxy: { '/console/api': { target: process.env.BECKON_URL ?? 'http://127.0.0.1:8787' } },
	},
});
