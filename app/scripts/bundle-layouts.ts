/**
 * Bundles the layouts of Live Activities and widgets, each into one text that the extension evaluates. They use the
 * globals that iOS's extension provides.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/** The extension evaluates these once, for all layouts. */
const globals: Plugin = {
	name: 'globals',
	setup({ onResolve, onLoad }) {
		const provided = /^(@expo\/ui\/swift-ui(\/modifiers)?|react\/jsx-runtime)$/;
		onResolve({ filter: provided }, ({ path }) => ({ path, namespace: 'global' }));
		onLoad({ filter: /.*/, namespace: 'global' }, () => ({
			contents: 'module.exports = globalThis',
		}));
	},
};

/** @returns an expression in JavaScript whose value is the layout's function */
export async function bundleLayout(name: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(ROOT, `layout/${name}.tsx`)],
		bundle: true,
		write: false,
		format: 'iife',
		globalName: 'layout',
		jsx: 'automatic',
		minify: true,
		// The JavaScript engine of iOS 16.4, the oldest that expo-widgets runs on.
		target: 'safari16.4',
		plugins: [globals],
	});
	return `(function(props, environment) {${outputFiles[0]?.text ?? ''}return layout.default(props, environment)})`;
}

if (import.meta.main) {
	const lines = ['activity', 'widget'].map(async (name) => {
		const layout = JSON.stringify(await bundleLayout(name));
		return `export const ${name} = ${layout};\n`;
	});
	mkdirSync(join(ROOT, 'generated'), { recursive: true });
	writeFileSync(join(ROOT, 'generated/layouts.ts'), (await Promise.all(lines)).join(''));
}
