import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('the start of n8n in its container', () => {
	const work = mkdtempSync(join(tmpdir(), 'beckon-n8n-start-'));
	afterAll(() => rmSync(work, { recursive: true }));
	const [bundled, home] = [join(work, 'bundled'), join(work, 'home')];
	const installed = join(home, '.n8n/nodes/node_modules');
	const nodes = () =>
		Object.fromEntries(
			readdirSync(installed).map((name) => [
				name,
				readFileSync(join(installed, name, 'package.json'), 'utf8'),
			]),
		);
	const put = (folder: string, text: string) => {
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, 'package.json'), text);
	};

	/** Runs the script as in the container, with the folders of this test. */
	function start(): string {
		const script = read('deploy/n8n-start.sh')
			.replace('/opt/n8n-nodes-beckon', bundled)
			.replace('/docker-entrypoint.sh', 'echo started');
		return execFileSync('sh', ['-c', script, 'n8n-start.sh', 'worker'], {
			encoding: 'utf8',
			env: { ...process.env, HOME: home },
		});
	}

	it('offers the nodes of the image beside those from the menu, which outlive a new image', () => {
		put(bundled, 'first');
		expect(start()).toBe('started worker\n');
		expect(nodes()).toEqual({ 'n8n-nodes-beckon': 'first' });
		put(join(installed, 'n8n-nodes-other'), 'from the menu');
		rmSync(bundled, { recursive: true });
		put(bundled, 'second');
		start();
		expect(nodes()).toEqual({ 'n8n-nodes-beckon': 'second', 'n8n-nodes-other': 'from the menu' });
	});

	it('keeps the Beckon nodes that the menu has put there', () => {
		rmSync(join(installed, 'n8n-nodes-beckon'));
		put(join(installed, 'n8n-nodes-beckon'), 'from the menu');
		start();
		expect(nodes()).toMatchObject({ 'n8n-nodes-beckon': 'from the menu' });
		rmSync(join(installed, 'n8n-nodes-beckon'), { recursive: true });
		start();
		expect(nodes()).toMatchObject({ 'n8n-nodes-beckon': 'second' });
	});

	it('is what the image runs, in the place of what it calls', () => {
		const dockerfile = read('deploy/n8n.Dockerfile');
		expect(dockerfile).toContain('COPY --from=build /node /opt/n8n-nodes-beckon\n');
		expect(dockerfile).toContain('COPY deploy/n8n-start.sh /\n');
		expect(dockerfile).toContain('ENTRYPOINT ["tini", "--", "/bin/sh", "/n8n-start.sh"]\n');
		expect(parse(read('compose.yaml')).services.n8n.volumes).toContain('n8n-data:/home/node/.n8n');
	});
});
