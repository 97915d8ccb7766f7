import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { type CSSOptions, defineConfig } from 'vite';
import { licenses } from '../scripts/licenses.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const DARK = ":root[data-mantine-color-scheme='dark']";

/**
 * The phone is dark if the system is. In the console a person can choose: there the phone's dark
 * rules follow that choice, so that its cards do not stay light.
 */
const postcss: Exclude<CSSOptions['postcss'], string> = {
	plugins: [
		{
			postcssPlugin: 'dark-by-choice',
			AtRule: {
				media(media) {
					if (media.params !== '(prefers-color-scheme: dark)') return;
					media.walkRules((rule) => {
						rule.selectors = rule.selectors.map((selector) =>
							selector === ':root' ? DARK : `${DARK} ${selector}`,
						);
					});
					media.replaceWith(media.nodes ?? []);
				},
			},
		},
	],
};

/** The console: `dist/web/console/index.html`, served at /console; otherwise like vite.config.ts. */
export default defineConfig({
	root: here('./console'),
	base: '/console/',
	plugins: [react(), licenses('licenses.txt')],
	css: { postcss },
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
