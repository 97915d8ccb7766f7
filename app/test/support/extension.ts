/** The JavaScript of the extension that draws Live Activities and widgets: its own bundle, in `node:vm`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { bundleLayout } from '../../scripts/bundle-layouts.ts';

export const APP = join(import.meta.dirname, '../..');
const WIDGETS = join(APP, 'node_modules/expo-widgets');

/** All Swift in a folder. */
export const swiftIn = (cwd: string) =>
	globSync('**/*.swift', { cwd })
		.map((file) => readFileSync(join(cwd, file), 'utf8'))
		.join('\n');

/** A node of the tree that SwiftUI draws. */
export interface Node {
	type: string;
	props: Record<string, any>;
}

/** The trees of a Live Activity, by their place on the phone. */
export type Places = Record<string, Node | undefined>;

/** Runs a command of Expo's command line, as in a build. */
export function expo(args: readonly string[], settings: Record<string, string> = {}): void {
	const cli = join(APP, 'node_modules/expo/bin/cli');
	const env = { ...process.env, CI: '1', EXPO_OFFLINE: '1', ...settings };
	execFileSync(process.execPath, [cli, ...args], { cwd: APP, env, stdio: 'pipe' });
}

/** What the extension evaluates before any layout, as Metro bundles it for a build in Xcode. */
function runtime(): string {
	const lock = createHash('sha256').update(readFileSync(join(APP, 'package-lock.json')));
	const file = join(APP, `.cache/extension-${lock.digest('hex').slice(0, 12)}.js`);
	if (!existsSync(file)) {
		mkdirSync(join(APP, '.cache'), { recursive: true });
		const options = {
			'--platform': 'ios',
			'--bundle-output': file,
			'--dev': 'false',
			'--entry-file': join(WIDGETS, 'bundle/index.ts'),
		};
		expo(['export:embed', ...Object.entries(options).flat(), '--skip-server'], {
			EXPO_OVERRIDE_METRO_CONFIG: join(WIDGETS, 'metro.config.js'),
		});
	}
	return readFileSync(file, 'utf8');
}

export type Render = (props: object, environment?: object) => any;

/** The function with which the extension draws a layout. */
export async function openExtension(layout: 'activity' | 'widget'): Promise<Render> {
	const context = createContext({ console, TextEncoder, URL });
	runInContext('var globalThis = this; var window = this; var global = this;', context);
	runInContext(runtime(), context);
	const source = await bundleLayout(layout);
	runInContext(`globalThis.__expoWidgetLayout = (${source})`, context);
	return (props, environment = {}) => {
		const sent = JSON.stringify([props, environment]);
		// Swift gets and gives plain values.
		return JSON.parse(
			runInContext(`JSON.stringify(__expoWidgetRender(...${sent}))`, context) as string,
		);
	};
}
