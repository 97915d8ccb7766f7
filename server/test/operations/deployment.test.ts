import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { SETTINGS } from '../../src/settings.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

interface Service {
	build?: { dockerfile: string; args?: Record<string, string> };
	image?: string;
	environment?: Record<string, string>;
	depends_on?: Record<string, { condition: string }>;
	healthcheck?: unknown;
	logging?: unknown;
	read_only?: boolean;
	volumes?: string[];
	networks?: string[] | Record<string, { ipv4_address?: string }>;
}

interface Compose {
	services: Record<string, Service>;
	volumes: Record<string, unknown>;
	networks: Record<string, unknown>;
}

/** The rules of the Compose Specification that a file breaks, by its own JSON Schema, which dclint has. */
function brokenRules(compose: unknown): string[] {
	const linter = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
	const text = readFileSync(join(linter, 'schemas/compose.schema.json'), 'utf8');
	// Its name for draft 7 is not the one that ajv knows.
	const { $schema: _, ...schema } = JSON.parse(text) as { $schema: string };
	const isValid = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(
		schema,
	);
	isValid(compose);
	return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The `NAME=value` pairs of BECKON_ settings in a text. */
function settingsIn(text: string): Record<string, string> {
	return Object.fromEntries(
		[...text.matchAll(/^\s*(?:ENV |Environment=)?(BECKON_\w+)=(\S+)/gm)].map(([, name, value]) => [
			name!,
			value!,
		]),
	);
}

describe('compose.yaml', () => {
	const compose = parse(read('compose.yaml')) as Compose;
	const services = Object.entries(compose.services);
	const networksOf = (name: string) => {
		const { networks = [] } = compose.services[name]!;
		return Array.isArray(networks) ? networks : Object.keys(networks);
	};
	const addressOf = (name: string, network: string) => {
		const { networks } = compose.services[name]!;
		return networks && !Array.isArray(networks) ? networks[network]?.ipv4_address : undefined;
	};

	it('follows the Compose Specification', () => {
		expect(brokenRules(compose)).toEqual([]);
		expect(brokenRules({ ...compose, netwroks: {} })).not.toEqual([]);
		expect(brokenRules({ services: { beckon: { depends_on: { database: 1 } } } })).not.toEqual([]);
	});

	it('is prepared by the commands that the guide shows', () => {
		const commands = [...read('compose.yaml').matchAll(/^# {3}(\S.*)$/gm)].map(
			([, command]) => command,
		);
		expect(commands.length).toBeGreaterThan(4);
		for (const command of commands) expect(read('docs/operations.md')).toContain(`\n${command}\n`);
	});

	it('can be replaced by the lines that the guide shows, beside an n8n of one’s own', () => {
		const [, lines = ''] = /^```yaml\n([^]*?)^```$/m.exec(read('docs/operations.md'))!;
		const shown = parse(lines) as Compose;
		expect(brokenRules(shown)).toEqual([]);
		const { environment, volumes } = shown.services['beckon']!;
		const config = readConfig({ ...settingsIn(read('Dockerfile')), ...environment });
		expect(config.BECKON_WEBHOOK_ALLOW_PRIVATE).toBe(true);
		expect(volumes).toEqual([`beckon-data:${config.BECKON_DATA}`]);
		expect(shown.volumes).toHaveProperty('beckon-data');
	});

	it('gives Beckon settings that it takes', () => {
		const environment = Object.fromEntries(
			Object.entries(compose.services['beckon']!.environment!).map(([name, value]) => [
				name,
				value.replaceAll(/\$\{\w+(:\?[^}]*)?\}/g, 'beckon.example.com'),
			]),
		);
		const config = readConfig({ ...settingsIn(read('Dockerfile')), ...environment });
		expect(config.BECKON_PUBLIC_URL).toBe('https://beckon.example.com');
		expect(config.BECKON_HOST).toBe('0.0.0.0');
	});

	it('bounds the log of each service', () => {
		const bound = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } };
		for (const [name, { logging }] of services)
			expect({ name, logging }).toEqual({ name, logging: bound });
	});

	it('starts each service when those that it needs are healthy', () => {
		for (const [name, { depends_on: needs = {}, healthcheck, build }] of services) {
			const hasOwnCheck = build && read(build.dockerfile).includes('HEALTHCHECK');
			expect({ name, isChecked: Boolean(healthcheck ?? hasOwnCheck) }).toEqual({
				name,
				isChecked: true,
			});
			for (const [needed, { condition }] of Object.entries(needs)) {
				expect(compose.services).toHaveProperty(needed);
				expect(condition).toBe('service_healthy');
			}
		}
	});

	it('names only volumes, networks and files that exist', () => {
		for (const [name, { volumes = [], build }] of services) {
			for (const network of networksOf(name)) expect(compose.networks).toHaveProperty(network);
			for (const volume of volumes) {
				const [source = ''] = volume.split(':');
				if (source.startsWith('.'))
					expect({ source, exists: existsSync(join(ROOT, source)) }).toEqual({
						source,
						exists: true,
					});
				else expect(compose.volumes).toHaveProperty(source);
			}
			if (build) expect(existsSync(join(ROOT, build.dockerfile))).toBe(true);
		}
	});

	it('trusts the address of the proxy alone', () => {
		expect(compose.services['beckon']!.environment!['BECKON_TRUSTED_PROXIES']).toBe(
			addressOf('caddy', 'web'),
		);
		expect(addressOf('caddy', 'web')).toMatch(/^\d+(\.\d+){3}$/);
	});

	it('keeps n8n from the database and from the metrics', () => {
		expect(networksOf('n8n')).not.toContain('inside');
		expect(compose.services['beckon']!.environment!['BECKON_METRICS_HOST']).toBe(
			addressOf('beckon', 'inside'),
		);
	});

	it('holds no secret, and keeps the database from everybody outside', () => {
		for (const [, { environment = {} }] of services) {
			for (const [name, value] of Object.entries(environment)) {
				if (/PASSWORD|SECRET|TOKEN|DATABASE_URL/.test(name))
					expect(value).toMatch(/^\/run\/secrets\//);
			}
		}
		expect(networksOf('database')).toEqual(['inside']);
		expect(compose.services['beckon']!.read_only).toBe(true);
		expect(read('.gitignore')).toMatch(/^secrets\/$/m);
	});
});

describe('the Dockerfile', () => {
	const stages = read('Dockerfile')
		.split(/^FROM /m)
		.slice(1);
	const last = stages.at(-1)!;

	it('runs as somebody other than root, and asks for its health without tools', () => {
		expect(stages.length).toBeGreaterThan(1);
		expect(last).toMatch(/^USER node$/m);
		expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('ENTRYPOINT'));
		expect(last).toMatch(/HEALTHCHECK[^]*"bash"[^]*\/healthz/);
		expect(last).not.toMatch(/curl|wget|apt-get|npm /);
	});

	it.each([
		[200, 0],
		[503, 1],
	])('turns an answer %i into exit code %i, without starting Node.js', async (status, code) => {
		const server = createServer((_request, response) => response.writeHead(status).end('{}'));
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as { port: number };
		const [, check = ''] = /HEALTHCHECK[^]*?CMD (\[.*\])$/m.exec(last) ?? [];
		const [program = '', ...args] = JSON.parse(check) as string[];
		const child = spawn(program, args, { env: { ...process.env, BECKON_PORT: String(port) } });
		expect(await once(child, 'exit')).toEqual([code, null]);
		server.close();
	});

	it('bounds memory as the systemd unit does', () => {
		const bounds = (text: string) => text.match(/(?<=[ =\t])(NODE_OPTIONS|MALLOC_\w+)=\S+/g);
		expect(bounds(last)).toHaveLength(4);
		expect(bounds(read('server/src/cli/beckon.service'))).toEqual(bounds(last));
	});

	it('installs nothing that the lock file does not name', () => {
		const installs = stages[1]!.match(/npm install[^&]*/g)!;
		expect(installs).toHaveLength(2);
		// A packed server's path would be resolved again.
		for (const install of installs) expect(install).toMatch(/^npm install( --?[\w=-]+| server)+\s/);
	});

	it('brings no version of a package into the image of n8n that the lock file does not name', () => {
		const installs = read('deploy/n8n.Dockerfile').match(/(npm (install|ci)|npx)[^&\\]*/g)!;
		expect(installs.map((install) => install.trim())).toEqual([
			'npm install --no-save --ignore-scripts --no-audit --no-fund',
			'npx --no-install tsup',
		]);
	});

	it('sets only what the server has', () => {
		const names = last.match(/BECKON_\w+/g)!;
		for (const name of names) expect(SETTINGS).toHaveProperty(name);
	});
});

describe('the images that others make', () => {
	const images = [
		'CADDY_IMAGE=caddy:2',
		'N8N_IMAGE=docker.n8n.io/n8nio/n8n:2',
		'NODE_IMAGE=node:24-bookworm-slim',
		'POSTGRES_IMAGE=postgres:17-bookworm',
	];

	it('can each be given with a digest', () => {
		for (const file of ['Dockerfile', 'deploy/n8n.Dockerfile']) {
			const text = read(file);
			const froms = [...text.matchAll(/^FROM (\S+)(?: AS (\w+))?$/gm)];
			for (const [, image = '', name] of froms) {
				const given = /^\$\{(\w+)\}$/.exec(image)?.[1];
				if (given === undefined) expect(images).toContain(`${name!.toUpperCase()}_IMAGE=${image}`);
				else expect(text).toMatch(new RegExp(`^ARG ${given}=\\w+$`, 'm'));
			}
		}
		for (const { image, build } of Object.values(
			parse(read('compose.yaml')).services as Compose['services'],
		)) {
			const given = Object.entries(build?.args ?? {});
			for (const [name, value] of given) expect(value).toMatch(`\${${name}:-`);
			const [, name, byTag] = /^\$\{(\w+):-(.*)\}$/.exec(image ?? '') ?? [];
			// One with a build is our own.
			if (build) expect(given).not.toEqual([]);
			else expect(images).toContain(`${name}=${byTag}`);
		}
	});

	const resolve = (docker: string) => {
		const directory = mkdtempSync(join(tmpdir(), 'beckon-images-'));
		writeFileSync(join(directory, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
		const result = spawnSync(join(ROOT, 'deploy/base-images.sh'), {
			encoding: 'utf8',
			env: { ...process.env, PATH: `${directory}:${process.env['PATH']}` },
		});
		rmSync(directory, { recursive: true });
		return result;
	};

	it('are noted with the digests that their tags have', () => {
		// As: docker buildx imagetools inspect IMAGE --format …
		const { stdout, status } = resolve('echo "sha256:of-$4"');
		expect(status).toBe(0);
		expect(stdout.trim().split('\n')).toEqual(
			images.map((line) => `${line}@sha256:of-${line.split('=')[1]}`),
		);
	});

	it('are not noted in part', () => {
		expect(resolve('[ "$4" != node:24-bookworm-slim ]').status).not.toBe(0);
	});
});

describe('the systemd unit', () => {
	const unit = read('server/src/cli/beckon.service');

	it('sets what the server takes', () => {
		const settings = settingsIn(unit);
		expect(Object.keys(settings)).toContain('BECKON_DATA');
		expect(() => readConfig(settings)).not.toThrow();
	});

	it('leaves the process nothing that it does not need', () => {
		for (const line of [
			'DynamicUser=yes',
			'StateDirectory=beckon',
			'ProtectSystem=strict',
			'ProtectHome=yes',
			'PrivateTmp=yes',
			'NoNewPrivileges=yes',
			'CapabilityBoundingSet=',
			'RestrictNamespaces=yes',
			'SystemCallFilter=@system-service',
		]) {
			expect(unit.split('\n')).toContain(line);
		}
	});

	it('is what systemd reads without a complaint', () => {
		if (spawnSync('systemd-analyze', ['--version']).error) {
			process.stdout.write('systemd-analyze is not installed: the unit is not verified by it\n');
			return;
		}
		const directory = mkdtempSync(join(tmpdir(), 'beckon-unit-'));
		const file = join(directory, 'beckon.service');
		writeFileSync(file, unit);
		const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
			encoding: 'utf8',
		});
		rmSync(directory, { recursive: true });
		expect(stderr.split('\n').filter((line) => line.includes('beckon'))).toEqual([]);
		expect(status).toBe(0);
	});
});

describe('the package', () => {
	it('needs at run time what its build leaves outside, and nothing else', () => {
		const { dependencies } = JSON.parse(read('server/package.json')) as { dependencies: object };
		const outside = /external: \[([^\]]*)\]/.exec(
			read('server/scripts/vite.server.config.ts'),
		)![1]!;
		const names = [...outside.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
		// pg would use a native driver of PostgreSQL if it were installed.
		expect(Object.keys(dependencies).sort()).toEqual(
			names.filter((name) => name !== 'pg-native').sort(),
		);
	});

	it('shows a README of its own on npm', () => {
		const { files } = JSON.parse(read('server/package.json')) as { files: string[] };
		expect(files).toContain('README.md');
		// There, a link to another file of the repository leads nowhere.
		const links = [...read('server/README.md').matchAll(/\]\(([^)]+)\)/g)];
		expect(links.length).toBeGreaterThan(4);
		for (const [, to = ''] of links) {
			const file = /^https:\/\/github\.com\/[\w-]+\/\w+\/blob\/main\/(.+)$/.exec(to)![1]!;
			expect({ file, exists: existsSync(join(ROOT, file)) }).toEqual({ file, exists: true });
		}
	});

	it('keeps every file that the image is built from, and no secrets', () => {
		const ignored = read('.dockerignore');
		for (const file of ['package.json', 'package-lock.json', '.npmrc', 'server'])
			expect(ignored).toContain(`!${file}\n`);
		expect(
			execFileSync('git', ['check-ignore', 'secrets/beckon.env'], { cwd: ROOT, encoding: 'utf8' }),
		).toContain('secrets');
	});
});
