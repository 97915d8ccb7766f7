import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { pack, packNode } from './pack.ts';
import { ROOT } from './root.ts';

/** Where published packages come from. */
export interface Origin {
	/** The repository's address, without a slash at its end. */
	url: string;
	author: { name: string; email: string };
}

interface Manifest {
	repository: { type: string; url: string; directory?: string };
}

/** Placeholder names, and the placeholder author. */
const PLACEHOLDER = /\bexample\.(com|org|net)$|\.example$|^beckon contributors$/i;

/** An address that belongs to nobody; `beckon.example.com` is what the guides call the reader's own. */
const PLACEHOLDER_ADDRESS = /\bbeckon\.example\b(?!\.)/;

const TEXT = /\.(js|json|md|service|txt|html)$|^LICENSE$/;

/**
 * Reads the origin from what GitHub tells a workflow.
 * @throws naming the variable that is missing, or that still has a placeholder
 */
export function readOrigin(environment: Readonly<Record<string, string | undefined>>): Origin {
	const read = (name: string) => {
		const value = environment[name]?.trim() ?? '';
		if (value === '') throw new Error(`${name} is not set`);
		return value;
	};
	const url = `${read('GITHUB_SERVER_URL')}/${read('GITHUB_REPOSITORY')}`;
	const [, name = '', email = ''] = /^(.+?) *<(\S+@\S+)>$/.exec(read('PACKAGE_AUTHOR')) ?? [];
	if (name === '')
		throw new Error('PACKAGE_AUTHOR must have the form: Ada Lovelace <ada@lovelace.org>');
	if ([name, email].some((part) => PLACEHOLDER.test(part))) {
		throw new Error(`PACKAGE_AUTHOR is a placeholder: ${name} <${email}>`);
	}
	return { url, author: { name, email } };
}

/** The manifest with its author and its addresses. n8n's verification and npm's provenance compare them. */
export function withOrigin<T extends Manifest>(manifest: T, { url, author }: Origin) {
	const repository = { ...manifest.repository, url: `git+${url}.git` };
	return {
		...manifest,
		author,
		homepage: `${url}#readme`,
		bugs: { url: `${url}/issues` },
		repository,
	};
}

/**
 * Gives an unpacked package its origin: in its manifest, and in every link to the repository.
 * @throws naming the files that still have a placeholder
 */
function giveOrigin(folder: string, origin: Origin): void {
	const file = path.join(folder, 'package.json');
	const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
	const assumed = new URL(manifest.repository.url).pathname.replace(/^\/|\.git$/g, '');
	const repository = new URL(origin.url).pathname.slice(1);
	const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
		TEXT.test(path.basename(name)),
	);
	writeFileSync(file, `${JSON.stringify(withOrigin(manifest, origin), null, 2)}\n`);
	const left = texts.filter((name) => {
		let text = readFileSync(path.join(folder, name), 'utf8');
		// The pages have compressed copies, which would keep the old text.
		if (text.includes(assumed) && !name.startsWith('dist/web/')) {
			text = text.replaceAll(assumed, repository);
			writeFileSync(path.join(folder, name), text);
		}
		return PLACEHOLDER_ADDRESS.test(text) || (assumed !== repository && text.includes(assumed));
	});
	if (left.length > 0) throw new Error(`These files still have a placeholder: ${left.join(', ')}`);
}

/** Packs all packages, as built, into the folder, as they are to be published. @returns the tarballs */
export async function packRelease(folder: string, origin: Origin): Promise<string[]> {
	const work = mkdtempSync(path.join(tmpdir(), 'beckon-release-'));
	try {
		const tarballs: string[] = [];
		const built = [await packNode(work)];
		for (const name of ['server', 'cli']) built.push(await pack(work, path.join(ROOT, name)));
		for (const { tarball } of built) {
			const unpacked = mkdtempSync(path.join(work, 'unpacked-'));
			execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
			giveOrigin(unpacked, origin);
			tarballs.push((await pack(folder, unpacked)).tarball);
		}
		return tarballs;
	} finally {
		rmSync(work, { recursive: true });
	}
}
