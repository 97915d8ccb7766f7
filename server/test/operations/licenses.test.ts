import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const PLUGIN = join(import.meta.dirname, '../../scripts/licenses.ts');

const VITE = join(
	dirname(createRequire(import.meta.url).resolve('vite/package.json')),
	'bin/vite.js',
);

const NOTICE = 'Copyright (c) 2020 Ada\n\nPermission is hereby granted … THE SOFTWARE.';

let root: string;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'beckon-licenses-'));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
	const path = join(root, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

/** Installs a package that every bundle of it would contain. */
function install(manifest: { name: string; license?: string; author?: unknown }, files = {}): void {
	const folder = `node_modules/${manifest.name}`;
	write(
		`${folder}/package.json`,
		JSON.stringify({ version: '1.0.0', main: 'lib/a.js', ...manifest }),
	);
	write(`${folder}/lib/a.js`, `console.log(${JSON.stringify(manifest.name)});`);
	for (const [file, text] of Object.entries(files)) write(`${folder}/${file}`, text as string);
}

/** Bundles a program that imports the packages. @returns the notices */
async function noticesOf(...packages: string[]): Promise<string> {
	write('main.js', packages.map((name) => `import '${name}';`).join('\n'));
	write(
		'vite.config.js',
		`import { licenses } from ${JSON.stringify(PLUGIN)};
		export default {
			plugins: [licenses('licenses.txt')],
			build: { rolldownOptions: { input: 'main.js' } },
		};`,
	);
	// Vite's bundler does not run inside jest.
	await promisify(execFile)(process.execPath, [VITE, 'build'], { cwd: root });
	return readFileSync(join(root, 'dist/licenses.txt'), 'utf8');
}

describe('the notices of a bundle', () => {
	it('have the texts of the packages in it, and no others', async () => {
		install({ name: 'one', license: 'MIT' }, { 'LICENSE.md': NOTICE });
		install(
			{ name: '@scope/two', license: 'Apache-2.0' },
			{ LICENSE: 'Apache License', NOTICE: 'With parts by Grace' },
		);
		install({ name: 'unused', license: 'MIT' }, { LICENSE: NOTICE });

		const notices = await noticesOf('one', '@scope/two');

		expect(notices).toContain(`## one 1.0.0 (MIT)\n\n${NOTICE}\n`);
		expect(notices).toContain(
			'## @scope/two 1.0.0 (Apache-2.0)\n\nApache License\n\nWith parts by Grace\n',
		);
		expect(notices).not.toContain('unused');
	});

	it('take the text from a README, or write out the MIT license that a package only names', async () => {
		install({ name: 'one', license: 'ISC' }, { 'Readme.md': `# One\n\n## License\n\n${NOTICE}\n` });
		install({ name: 'two', license: 'MIT', author: { name: 'Grace' } });

		const notices = await noticesOf('one', 'two');

		expect(notices).toContain(`## one 1.0.0 (ISC)\n\n${NOTICE}\n`);
		expect(notices).toMatch(
			/## two 1\.0\.0 \(MIT\)\n\nMIT License\n\nCopyright \(c\) Grace\n\nPermission is hereby/,
		);
	});

	it.each([
		[{ license: 'GPL-3.0' }, 'odd 1.0.0 has the license "GPL-3.0"'],
		[{}, 'odd 1.0.0 has the license undefined'],
		[{ license: 'ISC' }, 'odd 1.0.0 brings no text of its license'],
	])('are not written where a license is not known: %j', async (manifest, words) => {
		install({ name: 'odd', ...manifest });

		await expect(noticesOf('odd')).rejects.toThrow(words);
	});
});
