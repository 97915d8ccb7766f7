import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const GLOBALS = pathToFileURL(join(import.meta.dirname, 'globals.ts')).href;

enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/beckon-tests'));
registerHooks({
	resolve(specifier, context, next) {
		if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
		// Resolve like the bundler for which the node package is written: imports have no file extension, and
		// n8n-workflow's ES modules are for bundlers only.
		if (specifier === 'n8n-workflow')
			return next(specifier, { ...context, conditions: ['require'] });
		const isBundled =
			/^\.{1,2}\/(?!.*\.\w+$)/.test(specifier) && context.parentURL?.endsWith('.ts');
		return next(isBundled ? `${specifier}.ts` : specifier, context);
	},
});

const require = createRequire(import.meta.url);

/** Its types are those of the CommonJS module. */
const { default: JestRuntime } = require('jest-runtime') as typeof import('jest-runtime');

/** Where Jest keeps its event handlers, and the timeout that a test file has set for itself. */
const OF_ONE_FILE = [Symbol.for('EVENT_HANDLERS'), Symbol.for('TEST_TIMEOUT_SYMBOL')];

let files = 0;

/**
 * Loads modules with Node.js itself. Jest's own runtime evaluates every module again for every test file, which takes
 * half of the CPU time of these tests; here a worker evaluates each module once, and only the test file again.
 */
export default class Runtime extends JestRuntime {
	override requireInternalModule<T>(path: string): T {
		for (const name of OF_ONE_FILE) Reflect.deleteProperty(globalThis, name);
		// Jest's test framework, which keeps the tests of one file.
		Reflect.deleteProperty(require.cache, path);
		return require(path) as T;
	}

	override requireModule<T>(from: string, name = from): T {
		return createRequire(from)(name) as T;
	}

	override unstable_shouldLoadAsEsm(): boolean {
		return true;
	}

	override async unstable_importModule(path: string): Promise<unknown> {
		Object.assign(globalThis, this.requireModuleOrMock(path, '@jest/globals'));
		files += 1;
		return import(`${pathToFileURL(path).href}?file=${files}`);
	}
}
