import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DOCS, withTables } from '../../scripts/write-operations-docs.ts';
import { MAX_IMAGE_BYTES } from '../../src/contract/images.ts';
import { SETTINGS } from '../../src/settings.ts';
import { runCli } from '../support/process.ts';

const page = readFileSync(DOCS, 'utf8');

describe('docs/operations.md', () => {
	it('lists the settings and commands as they are (npm run docs writes them)', () => {
		expect(withTables(page)).toBe(page);
		for (const name of Object.keys(SETTINGS)) expect(page).toContain(`| \`${name}\` |`);
	});

	it('names no setting that neither the server nor compose.yaml has', () => {
		const compose = readFileSync(join(dirname(DOCS), '../compose.yaml'), 'utf8');
		const named = new Set(page.match(/BECKON_[A-Z0-9_]*[A-Z0-9]/g));
		const isKnown = (name: string) => name in SETTINGS || compose.includes(`\${${name}:`);
		expect([...named].filter((name) => !isKnown(name))).toEqual([]);
	});

	it('has an example of every command, and of no other', async () => {
		const subcommands = async (...path: string[]): Promise<string[]> => {
			const { stdout } = await runCli([...path, '--help']);
			const list = stdout.split(/^Commands:$/m)[1] ?? '';
			return [...list.matchAll(/^ {2}([a-z-]+) /gm)]
				.map(([, name]) => name!)
				.filter((name) => name !== 'help');
		};
		const verbs: string[] = [];
		for (const name of await subcommands()) {
			const below = await subcommands(name);
			verbs.push(...(below.length > 0 ? below.map((verb) => `${name} ${verb}`) : [name]));
		}
		expect(verbs.length).toBeGreaterThan(15);
		const examples = [...page.matchAll(/^\| `beckon-server ([a-z-]+(?: [a-z-]+)?)/gm)].map(
			([, verb]) => verb!.replace(/ -.*/, ''),
		);
		expect([...examples].sort()).toEqual([...verbs].sort());
	});

	it('lets pictures through every proxy with a limit of its own', () => {
		const proxies = readFileSync(join(dirname(DOCS), 'proxies.md'), 'utf8');
		const limits = [...proxies.matchAll(/client_max_body_size (\d+)m;/g)];
		expect(limits).toHaveLength(2);
		for (const [, size] of limits)
			expect(Number(size) * 2 ** 20).toBeGreaterThanOrEqual(MAX_IMAGE_BYTES);
	});

	it('uses options that the commands have', async () => {
		const examples = [...page.matchAll(/^\|? ?`?beckon-server ([^`\n]+)/gm)].map(
			([, example]) => example!,
		);
		expect(examples.length).toBeGreaterThan(20);
		const helps = new Map<string, string>();
		for (const example of examples) {
			const verb = example.split(' -')[0]!;
			if (!helps.has(verb)) helps.set(verb, (await runCli([...verb.split(' '), '--help'])).stdout);
			for (const [option] of example.matchAll(/--[a-z-]+/g)) {
				expect({ example, option, help: helps.get(verb) }).toMatchObject({
					help: expect.stringContaining(` ${option}`),
				});
			}
		}
	});
});
