import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Licenses that require nothing but a copy of themselves and of the notices. */
const KNOWN = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const OWN_FILE = /^(licen[cs]e|copying|notice)[\w-]*(\.md|\.txt)?$/i;

interface Manifest {
	name: string;
	version: string;
	license?: unknown;
	author?: string | { name: string };
}

/**
 * Writes the licenses of all packages in a bundle into one file. The build fails if it does not know one.
 * @param fileName the file's path in the output
 */
export function licenses(fileName: string): Plugin {
	return {
		name: 'licenses',
		generateBundle(_options, bundle) {
			const modules = Object.values(bundle).flatMap((part) =>
				part.type === 'chunk' ? part.moduleIds : [],
			);
			this.emitFile({ type: 'asset', fileName, source: noticesOf(modules) });
		},
	};
}

/**
 * The licenses of the packages that modules are from.
 * @param modules absolute paths
 * @throws for a license that nobody has looked at
 */
export function noticesOf(modules: readonly string[]): string {
	const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
	const notices = [...folders].map(noticeOf).sort();
	return `Beckon contains these packages. Each is under its own license.\n\n${[...new Set(notices)].join('\n')}`;
}

/** The packages in a file of notices written by the function above. */
export function packagesIn(
	notices: string,
): Array<{ name: string; version: string; license: string }> {
	return [...notices.matchAll(/^## (\S+) (\d\S*) \((.+)\)$/gm)].map(
		([, name = '', version = '', license = '']) => ({ name, version, license }),
	);
}

/** The folder of the package that a module is from; undefined for our own and the bundler's modules. */
function packageFolder(module: string): string | undefined {
	return /^[^\0].*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0];
}

/** @throws for a license that nobody has looked at, or a package without a text */
function noticeOf(folder: string): string {
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
	const { name, version, license } = manifest;
	if (typeof license !== 'string' || !KNOWN.includes(license)) {
		throw new Error(
			`${name} ${version} has the license ${JSON.stringify(license)}: if Beckon may contain it, add it to scripts/licenses.ts`,
		);
	}
	const text = ownText(folder) ?? (license === 'MIT' ? mitText(manifest) : undefined);
	if (text === undefined) throw new Error(`${name} ${version} brings no text of its license`);
	return `## ${name} ${version} (${license})\n\n${text}\n`;
}

/** The license text in the package: a file, or the end of its README. */
function ownText(folder: string): string | undefined {
	const files = readdirSync(folder);
	const read = (file: string) => readFileSync(join(folder, file), 'utf8').trim();
	const own = files.filter((file) => OWN_FILE.test(file)).sort();
	if (own.length > 0) return own.map(read).join('\n\n');
	const readme = files.find((file) => /^readme/i.test(file));
	return readme && /^Copyright \(c\) [^]*?SOFTWARE\.$/im.exec(read(readme))?.[0];
}

/** The text of the MIT license, taken from our own license file. */
function mitText({ name, author = `the authors of ${name}` }: Manifest): string {
	const ours = readFileSync(join(import.meta.dirname, '../LICENSE'), 'utf8').trim();
	const holder = typeof author === 'string' ? author : author.name;
	return ours.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}
