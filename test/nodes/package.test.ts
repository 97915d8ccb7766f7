import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { packNode, type Packed } from '../../scripts/lib/pack.ts';
import { ROOT } from '../../scripts/lib/root.ts';

interface Manifest {
	version: string;
	dependencies?: object;
}

let folder: string;
let packed: Packed;

beforeAll(async () => {
	folder = mkdtempSync(path.join(tmpdir(), 'beckon-packed-'));
	packed = await packNode(folder);
	execFileSync('tar', ['-xzf', packed.tarball, '-C', folder]);
});

afterAll(() => rmSync(folder, { recursive: true }));

const read = (file: string) => readFileSync(path.join(folder, 'package', file), 'utf8');

const manifest = () => JSON.parse(read('package.json')) as Manifest;

describe('the packed node', () => {
	it('has its icons and less than 100 KB', () => {
		expect(packed.bytes).toBeLessThan(100 * 1024);
		expect(packed.files).toEqual(
			expect.arrayContaining([
				'dist/icons/beckon.svg',
				'dist/icons/beckon.dark.svg',
				'dist/nodes/Beckon/Beckon.node.json',
			]),
		);
		expect(
			packed.files.filter((file) => !/^(dist\/|package\.json$|README|LICENSE)/.test(file)),
		).toEqual([]);
	});

	it('has no dependencies, and nothing that only the repository needs', () => {
		expect(manifest()).not.toHaveProperty('dependencies');
		for (const part of ['workspaces', 'scripts', 'devDependencies'])
			expect(manifest()).not.toHaveProperty(part);
	});

	it('leaves the checkout as it was', () => {
		expect(readFileSync(path.join(ROOT, 'README.md'), 'utf8')).not.toBe(read('README.md'));
		expect(existsSync(path.join(ROOT, 'docs/n8n.md'))).toBe(true);
	});

	it('has the guide as its README, with links to the files of its version', () => {
		const readme = read('README.md');
		expect(readme).toMatch(/^# Beckon for n8n\n/);
		const targets = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
		expect(targets.filter((target) => !/^(https:\/\/|#)/.test(target))).toEqual([]);
		const ours = new RegExp(
			`^https://(raw\\.githubusercontent|github)\\.com/beckon-dev/beckon/(blob/)?v${manifest().version}/([^#]+)`,
		);
		const files = targets.flatMap((target) => ours.exec(target)?.[3] ?? []);
		expect(files.length).toBeGreaterThan(10);
		expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
	});
});
