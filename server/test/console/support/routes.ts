import type { App } from '../../../src/http/app.ts';

/** Every route of the app, as `METHOD /path`, parsed from its router's printed tree. */
export function routesOf(app: App): string[] {
	const path: string[] = [];
	const routes: string[] = [];
	for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
		const match = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?$/u.exec(line);
		if (!match) continue;
		const [, indent = '', segment = '', methods = ''] = match;
		path.length = indent.length / 4;
		path.push(segment);
		for (const method of methods.split(', ').filter((name) => name !== '')) {
			routes.push(`${method} ${path.join('')}`);
		}
	}
	return routes.sort();
}
