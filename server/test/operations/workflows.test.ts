import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, '.github/workflows');

interface Job {
	needs?: string | string[];
	permissions?: Record<string, string>;
	strategy?: { matrix: { include: Array<{ arch: string }> } };
	steps?: Array<{ uses?: string; run?: string }>;
}

interface Workflow {
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow;

const stepsOf = ({ steps = [] }: Job) => steps.map(({ uses, run }) => uses ?? run ?? '');

describe.each(readdirSync(FOLDER))('%s', (file) => {
	const workflow = read(file);

	it('may change nothing, unless one of its jobs says so', () => {
		for (const access of Object.values(workflow.permissions)) expect(access).toBe('read');
	});

	it('runs only actions of commits that are named', () => {
		const actions = Object.values(workflow.jobs)
			.flatMap(stepsOf)
			.filter((step) => /^[\w-]+\/[\w-]+@/.test(step));
		expect(actions).not.toEqual([]);
		for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/);
	});
});

describe('publishing', () => {
	const { jobs } = read('publish.yml');
	const ableTo = (permission: string) =>
		Object.keys(jobs).filter((name) => jobs[name]!.permissions?.[permission] === 'write');

	it('of packages is done by one job, which only takes the tarballs and installs nothing', () => {
		expect(ableTo('id-token')).toEqual(['publish', 'publish-image']);
		const { publish } = jobs;
		expect(publish!.permissions).toEqual({ 'id-token': 'write' });
		const steps = stepsOf(publish!).map((step) => step.replace(/@.*/, ''));
		expect(steps).toEqual([
			'actions/setup-node',
			'actions/download-artifact',
			'echo "$SUMS" | sha256sum --check --strict',
			'npm publish --provenance --access public ./n8n-nodes-beckon-*.tgz',
			'npm publish --provenance --access public ./beckon-server-*.tgz',
			'npm publish --provenance --access public ./beckon-cli-*.tgz',
		]);
	});

	it('of the image is done by one job, which only takes the archives and builds nothing', () => {
		expect(ableTo('packages')).toEqual(['publish-image']);
		const job = jobs['publish-image']!;
		expect(job.permissions).toEqual({
			packages: 'write',
			'id-token': 'write',
			attestations: 'write',
		});
		const steps = stepsOf(job);
		expect(steps.map((step) => step.split(/[@\n]/)[0])).toEqual([
			'actions/download-artifact',
			'echo "$SUMS" | sha256sum --check --strict',
			'echo "$TOKEN" | docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin',
			'image=ghcr.io/${GITHUB_REPOSITORY,,}-server',
			'actions/attest-build-provenance',
		]);
		expect(steps.join('\n')).not.toMatch(/checkout|npm|docker (buildx )?(build|run)\b/);
	});

	it('is of the image that compose.yaml and the guides name', () => {
		const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
			repository: { url: string };
		};
		const [, name] = /github\.com\/(.*)\.git$/.exec(repository.url)!;
		for (const file of ['compose.yaml', 'docs/operations.md', 'server/README.md']) {
			const text = readFileSync(join(ROOT, file), 'utf8');
			const images = text.match(/ghcr\.io\/[\w./-]+/g)!;
			expect(new Set(images)).toEqual(new Set([`ghcr.io/${name}-server`]));
		}
	});

	it('waits for the tests, the packages and the images of both architectures', () => {
		expect(jobs['publish']!.needs).toEqual(['verify', 'pack', 'image']);
		expect(jobs['publish-image']!.needs).toEqual(['publish', 'image']);
		expect(jobs['release']!.needs).toEqual(['pack', 'publish', 'publish-image']);
		const { include } = jobs['image']!.strategy!.matrix;
		expect(include.map(({ arch }) => arch)).toEqual(['amd64', 'arm64']);
	});

	it('leaves what may write to the repository without a checkout', () => {
		expect(ableTo('contents')).toEqual(['release']);
		expect(stepsOf(jobs['release']!).join('\n')).not.toMatch(/checkout|npm|node /);
		expect(stepsOf(jobs['release']!).at(-1)).toContain(' ./*.tgz ');
	});
});

describe('Dependabot', () => {
	const { updates } = parse(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8')) as {
		updates: Array<{ 'package-ecosystem': string; directories: string[] }>;
	};
	const watched = (ecosystem: string) =>
		updates
			.filter((update) => update['package-ecosystem'] === ecosystem)
			.flatMap(({ directories }) => directories);

	it('watches every lock file that is installed from, every action and every image', () => {
		const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
		const folders = (isOne: (name: string) => boolean) =>
			tracked.filter(isOne).map((name) => posix.join('/', posix.dirname(name)));
		// Those of tools and benches pin what is compared or checked with.
		const isOfTool = (name: string) => /^(scripts|server)\//.test(name);
		expect(watched('npm')).toEqual(
			folders((name) => name.endsWith('package-lock.json') && !isOfTool(name)),
		);
		expect(watched('docker')).toEqual(folders((name) => name.endsWith('Dockerfile')));
		expect(watched('docker-compose')).toEqual(folders((name) => name === 'compose.yaml'));
		expect(watched('github-actions')).toEqual(['/']);
	});
});
