import { defineConfig } from 'vite';

/**
 * The program as it is published: with all that it needs, so that installing it fetches little and
 * starting it reads little. Left outside is what brings files of its own.
 */
export default defineConfig({
	build: {
		ssr: 'src/main.ts',
		outDir: 'dist',
		// The pages are built into it too.
		emptyOutDir: false,
		target: 'node24',
		// Stack traces in the log shall be readable.
		minify: false,
		license: { fileName: 'THIRD-PARTY-LICENSES.md' },
		rolldownOptions: {
			output: {
				entryFileNames: 'main.js',
				chunkFileNames: 'libraries/[name].js',
				// To compile all in one piece takes 14 MB, which the process then keeps.
				codeSplitting: { groups: [{ test: /node_modules/, name: packageOf }] },
				// The whole text stays in memory, in one byte a character where all are ASCII, else in two.
				charset: 'ascii',
				comments: false,
			},
		},
	},
	ssr: {
		noExternal: true,
		external: ['better-sqlite3', '@fastify/static', '@fastify/swagger-ui', 'pg-native'],
	},
});

/** @param file a path below node_modules */
function packageOf(file: string): string {
	const inside = file.slice(file.lastIndexOf('node_modules/') + 'node_modules/'.length);
	const [scope = '', name = ''] = inside.split('/');
	return scope.startsWith('@') ? `${scope.slice(1)}.${name}` : scope;
}
