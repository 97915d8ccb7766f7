import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from './root.ts';

/** The guide that n8n's and npm's pages show as the package's README. */
const GUIDE = 'docs/n8n.md';

/** Parts of the manifest that only mean something in the repository. */
const OF_THE_REPOSITORY = ['workspaces', 'scripts', 'devDependencies', 'allowScripts'];

interface Manifest {
	version: string;
	repository: { url: string };
}

/**
 * Makes the relative links of a document absolute, for a place where the other files are missing.
 * @param file the document's path in the repository
 * @param tag the version whose files they lead to
 */
function withAbsoluteLinks(
	text: string,
	file: string,
	{ repository, tag }: { repository: string; tag: string },
): string {
	const pages = `${repository}/blob/${tag}/`;
	const raw = `${repository.replace('//github.com/', '//raw.githubusercontent.com/')}/${tag}/`;
	return text.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, mark: string, words, to) => {
		if (/^([a-z]+:|#)/.test(to as string)) return link;
		const target = path.posix.join(path.posix.dirname(file), to as string);
		return `${mark}[${words as string}](${mark === '' ? pages : raw}${target})`;
	});
}

/** Copies the package to publish into an empty folder: the build, and the guide as its README. */
export function stageNodePackage(folder: string): void {
	mkdirSync(folder, { recursive: true });
	const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
	const manifest = JSON.parse(read('package.json')) as Manifest;
	const published = Object.entries(manifest).filter(([part]) => !OF_THE_REPOSITORY.includes(part));
	const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text);
	write('package.json', `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`);
	const readme = withAbsoluteLinks(read(GUIDE), GUIDE, {
		repository: manifest.repository.url.replace(/\.git$/, ''),
		tag: `v${manifest.version}`,
	});
	write('README.md', readme);
	write('LICENSE', read('LICENSE'));
	cpSync(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
}
