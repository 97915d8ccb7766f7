import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { licenses } from './licenses.ts';

/**
 * The program as published: bundled with nearly all its dependencies, so installing fetches little and starting
 * reads little. Packages with files of their own stay external.
 */
export default defineConfig({
	plugins: [licenses('THIRD-PARTY-LICENSES.md'), filesBeside()],
	build: {
		ssr: 'src/main.ts',
		outDir: 'dist',
		// The pages are built into the same folder.
		emptyOutDir: false,
		target: 'node24',
		// Stack traces in the log must be readable.
		minify: false,
		rolldownOptions: {
			output: {
				entryFileNames: 'main.js',
				chunkFileNames: ({ moduleIds }) =>
					moduleIds.some(isOfPackage) ? 'libraries/[name].js' : '[name].js',
				// Compiling everything in one piece takes 14 MB, which the process then keeps.
				codeSplitting: {
					groups: [
						// A group includes what its modules import, except zod, which all groups use.
						{ test: /node_modules\/zod\//, name: 'zod', priority: 1 },
						{ test: isOfPackage, name: packageOf },
						// What both commands and the server load; unnamed, it is called after one of its files.
						{ name: 'shared', minShareCount: 2 },
					],
				},
				// The whole source stays in memory, one byte per character if all are ASCII, otherwise two.
				charset: 'ascii',
				comments: false,
			},
		},
	},
	ssr: {
		noExternal: true,
		external: ['better-sqlite3', '@fastify/swagger-ui', 'pg-native'],
	},
});

/** Puts the statements of migrations and the units of systemd beside the program, which reads them. */
function filesBeside(): Plugin {
	return {
		name: 'files-beside',
		generateBundle() {
			for (const file of globSync(['src/store/migrations/*.sql', 'src/cli/beckon.*']))
				this.emitFile({ type: 'asset', fileName: basename(file), source: readFileSync(file) });
		},
	};
}

function isOfPackage(file: string): boolean {
	return file.includes('node_modules');
}

/** @param file a path below node_modules */
function packageOf(file: string): string {
	const inside = file.slice(file.lastIndexOf('node_modules/') + 'node_modules/'.length);
	const [scope = '', name = ''] = inside.split('/');
	return scope.startsWith('@') ? `${scope.slice(1)}.${name}` : scope;
}
