/**
 * What tests import from `@jest/globals`. Jest makes them for each test file. A module that several files import, such
 * as one in test/support/, is evaluated only once, so it gets those of the file that is running.
 */
function ofThisFile(name: string): object {
	const current = () => Reflect.get(globalThis, name) as (...args: unknown[]) => unknown;
	return new Proxy(() => undefined, {
		apply: (_target, self, args) => Reflect.apply(current(), self, args),
		get: (_target, key) => Reflect.get(current(), key) as unknown,
	});
}

export const afterAll = ofThisFile('afterAll');
export const afterEach = ofThisFile('afterEach');
export const beforeAll = ofThisFile('beforeAll');
export const beforeEach = ofThisFile('beforeEach');
export const describe = ofThisFile('describe');
export const expect = ofThisFile('expect');
export const it = ofThisFile('it');
export const jest = ofThisFile('jest');
export const test = ofThisFile('test');
