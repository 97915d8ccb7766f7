import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { packRelease, readOrigin, withOrigin } from '../../scripts/lib/release.ts';

/** What GitHub sets in a workflow, and the variable of the repository that names the author. */
const GITHUB = {
	GITHUB_SERVER_URL: 'https://github.com',
	GITHUB_REPOSITORY: 'lovelace/engine',
	PACKAGE_AUTHOR: 'Ada Lovelace <ada@lovelace.org>',
};

describe('the origin of what is published', () => {
	it('is the repository that publishes, and its author', () => {
		expect(readOrigin(GITHUB)).toEqual({
			url: 'https://github.com/lovelace/engine',
			author: { name: 'Ada Lovelace', email: 'ada@lovelace.org' },
		});
	});

	it.each([
		[{ PACKAGE_AUTHOR: '' }, 'PACKAGE_AUTHOR is not set'],
		[{ GITHUB_REPOSITORY: undefined }, 'GITHUB_REPOSITORY is not set'],
		[{ PACKAGE_AUTHOR: 'Ada Lovelace' }, 'PACKAGE_AUTHOR must have the form'],
		[{ PACKAGE_AUTHOR: 'Beckon contributors <ada@lovelace.org>' }, 'is a placeholder'],
		[{ PACKAGE_AUTHOR: 'Ada <hello@beckon.example>' }, 'is a placeholder'],
		[{ PACKAGE_AUTHOR: 'Ada <ada@example.com>' }, 'is a placeholder'],
	])('must be told: %j', (changed, words) => {
		expect(() => readOrigin({ ...GITHUB, ...changed })).toThrow(words);
	});

	it('keeps the folder of a package in the repository', () => {
		const repository = { type: 'git', url: 'https://github.com/a/b.git', directory: 'server' };

		expect(withOrigin({ repository }, readOrigin(GITHUB)).repository).toEqual({
			type: 'git',
			url: 'git+https://github.com/lovelace/engine.git',
			directory: 'server',
		});
	});
});

describe('the packages of a release', () => {
	let folder: string;
	let tarballs: string[];

	beforeAll(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'beckon-released-'));
		tarballs = await packRelease(folder, readOrigin(GITHUB));
	});

	afterAll(() => rmSync(folder, { recursive: true }));

	const unpacked = (tarball: string) => {
		execFileSync('tar', ['-xzf', tarball, '-C', folder]);
		return path.join(folder, 'package');
	};

	it('are all, each with its author and its repository', () => {
		const manifests = tarballs.map(
			(tarball) =>
				JSON.parse(readFileSync(path.join(unpacked(tarball), 'package.json'), 'utf8')) as object,
		);
		const origin = {
			author: { name: 'Ada Lovelace', email: 'ada@lovelace.org' },
			homepage: 'https://github.com/lovelace/engine#readme',
			bugs: { url: 'https://github.com/lovelace/engine/issues' },
		};
		const url = 'git+https://github.com/lovelace/engine.git';
		expect(manifests).toMatchObject([
			{ name: 'n8n-nodes-beckon', ...origin, repository: { url } },
			{ name: 'beckon-server', ...origin, repository: { url, directory: 'server' } },
			{ name: 'beckon-cli', ...origin, repository: { url, directory: 'cli' } },
		]);
	});

	it('link to that repository, and have no placeholder', () => {
		for (const tarball of tarballs) {
			const found = execFileSync(
				'grep',
				['-rhoE', 'lovelace/engine|beckon-dev/|beckon\\.example\\b[^.]'],
				{
					cwd: unpacked(tarball),
					encoding: 'utf8',
				},
			);
			expect(new Set(found.trim().split('\n'))).toEqual(new Set(['lovelace/engine']));
		}
	});
});
