import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../scripts/lib/root.ts';

const documents = execFileSync(
	'git',
	['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
	{
		cwd: ROOT,
		encoding: 'utf8',
	},
)
	.trim()
	.split('\n');

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Without code, in which brackets are no links and a comment is no heading. */
const proseOf = (file: string) =>
	textOf(file)
		.replaceAll(/^ *```[^]*?^ *```$/gm, '')
		.replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** The anchors that GitHub gives to a document's headings. */
function anchorsOf(file: string): string[] {
	return [...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
		heading!
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/** The links of a document that lead nowhere. */
function brokenLinksIn(file: string): string[] {
	const targets = [
		...[...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!),
		...[...textOf(file).matchAll(/<img src="([^"]+)"/g)].map(([, target]) => target!),
	];
	return targets.filter((target) => {
		if (/^[a-z]+:/.test(target)) return false;
		const [to = '', anchor] = target.split('#');
		const aim = to === '' ? file : path.join(path.dirname(file), to);
		if (!existsSync(path.join(ROOT, aim))) return true;
		return anchor !== undefined && !anchorsOf(aim).includes(anchor);
	});
}

test.each(documents)('%s has only links that lead somewhere', (file) => {
	expect(brokenLinksIn(file)).toEqual([]);
});

/** Citations in code, such as: docs/operations.md, "Memory". */
test('code cites only sections that there are', () => {
	const tracked = execFileSync(
		'git',
		['ls-files', '*.ts', '*.tsx', '*.yaml', '*Dockerfile', 'deploy'],
		{
			cwd: ROOT,
			encoding: 'utf8',
		},
	);
	const cited = tracked
		.trim()
		.split('\n')
		.flatMap((file) =>
			// A comment may break the line within the citation.
			[
				...textOf(file)
					.replaceAll(/\n[\s*#/]*/g, ' ')
					.matchAll(/([\w/-]+\.md),? "([^"]+)"/g),
			].map(([, document, section]) => ({ file, document: document!, section: section! })),
		);
	expect(cited.length).toBeGreaterThan(20);
	const isThere = ({ document, section }: (typeof cited)[number]) =>
		existsSync(path.join(ROOT, document)) && proseOf(document).includes(`# ${section}\n`);
	expect(cited.filter((citation) => !isThere(citation))).toEqual([]);
});

test('every document in docs is in its index', () => {
	const index = textOf('docs/README.md');
	const inDocs = documents.filter((file) => /^docs\/(?!README)[^/]+\.md$/.test(file));
	expect(inDocs.length).toBeGreaterThan(5);
	expect(inDocs.filter((file) => !index.includes(`](${path.basename(file)})`))).toEqual([]);
});

/** The README tells the story instead; the results of benchmarks are written by these. */
const guides = documents.filter(
	(file) => file !== 'README.md' && !file.includes('/bench/results/'),
);

test.each(guides)('%s says first who reads it, and which question it answers', (file) => {
	expect(textOf(file).split('\n\n')[1]).toMatch(/^For [^.]+:/);
});

/** What is generated ends with a comment of its own. */
const GENERATED =
	/<!-- (?:\w+: written by|requests:start)[^]*?<!-- (?:end of \w+|requests:end) -->/g;

test('a reader has at most 25,000 words to read', () => {
	const words = ['README.md', ...guides].flatMap((file) =>
		textOf(file)
			.replaceAll(GENERATED, '')
			.split(/\s+/)
			.filter((word) => /\w/.test(word)),
	);
	expect(words.length).toBeLessThanOrEqual(25_000);
});

test('no guide or example asks whether an answer is there: it always is', () => {
	const files = execFileSync('git', ['ls-files', 'docs/*.md', 'examples/*.json', '*/README.md'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	const named = files.trim().split('\n');
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter((file) => textOf(file).includes('?.'))).toEqual([]);
});

test('README.md has at most 80 lines', () => {
	expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
});

/** Names in code of other programs: of Claude Code, of Apple's ActivityKit, and of Traefik. */
const OTHERS = ['dontAsk', 'pushToStartTokenUpdates', 'certResolver'];

test('functions and other names that documents mention are in the code', () => {
	const code = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js', '*.mjs', '*.json'], {
		cwd: ROOT,
		encoding: 'utf8',
	})
		.trim()
		.split('\n');
	const names = new Set(
		code
			.filter((file) => !file.endsWith('documents.test.ts'))
			.flatMap((file) => textOf(file).match(/\w+/g) ?? []),
	);
	const mentioned = documents.flatMap((file) =>
		[...textOf(file).matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)].map(([, name]) => name!),
	);
	expect(mentioned.filter((name) => !names.has(name) && !OTHERS.includes(name))).toEqual([]);
});
