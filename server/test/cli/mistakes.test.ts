import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { SETTINGS } from '../../src/settings.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { runCli, runJson, runRefusedStart } from '../support/process.ts';
import { holdLines } from '../support/mistakes.ts';

describe("a user's mistake", () => {
	const directory = temporaryDirectory();
	const folder = (name: string) => join(directory.path, name);
	const start = (data: string, settings: Record<string, string> = {}) =>
		runCli(['start', '--data', data, '--port', '0'], settings);
	const refused = (data: string, settings: Record<string, string> = {}) =>
		runRefusedStart(['--data', data, '--port', '0'], settings);
	afterAll(() => directory.remove());

	describe('in the settings', () => {
		it('is reported with the rule, before anything is created', async () => {
			const data = folder('unborn');
			holdLines(
				await refused(data, { BECKON_LOG_LEVEL: 'loud' }),
				'BECKON_LOG_LEVEL must be one of fatal, error, warn, info, debug, silent. Example: BECKON_LOG_LEVEL=info',
			);
			holdLines(
				await runRefusedStart(['--data', data, '--port', 'http']),
				'BECKON_PORT must be a whole number from 0 to 65535. Example: BECKON_PORT=8787',
			);
			holdLines(
				await runRefusedStart(['--data', data, '--port', '65536']),
				'BECKON_PORT must be a whole number from 0 to 65535. Example: BECKON_PORT=8787',
			);
			holdLines(
				await refused(data, { BECKON_WEBHOOK_ALLOW_PRIVATE: 'yes' }),
				'BECKON_WEBHOOK_ALLOW_PRIVATE must be true or false. Example: BECKON_WEBHOOK_ALLOW_PRIVATE=false',
			);
			holdLines(
				await refused(data, { BECKON_PUBLIC_URL: 'beckon.example.com' }),
				'BECKON_PUBLIC_URL must be an http or https URL. Example: BECKON_PUBLIC_URL=https://beckon.example.com',
			);
			expect(existsSync(data)).toBe(false);
		});

		it('is reported for a proxy that is not an address', async () => {
			const data = folder('proxies');
			for (const entry of ['my-proxy', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', '10.0.0.0/']) {
				holdLines(
					await refused(data, { BECKON_TRUSTED_PROXIES: `10.0.0.0/8, ::1,${entry}` }),
					`BECKON_TRUSTED_PROXIES must be IP addresses or CIDR ranges such as 10.0.0.0/8, separated by commas, not ${entry}. Example: BECKON_TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8`,
				);
			}
			holdLines(
				await refused('', {}),
				'BECKON_DATA must not be empty. Example: BECKON_DATA=./beckon-data',
			);
			expect(existsSync(data)).toBe(false);
		});

		it('is reported for a public address with a path, under which no page would work', () => {
			const of = (address: string) => readConfig({ BECKON_PUBLIC_URL: address }).BECKON_PUBLIC_URL;
			for (const path of ['beckon', 'beckon/', '?a=b', '#a'])
				expect(() => of(`https://example.com/${path}`)).toThrow(
					'BECKON_PUBLIC_URL must have no path: its pages are at the root. Give Beckon a host name of its own.',
				);
			expect(of('https://example.com/')).toBe('https://example.com');
		});

		it('is reported when Beckon has no such setting', async () => {
			holdLines(
				await refused(folder('unborn'), { BECKON_PROT: '80' }),
				'BECKON_PROT is not a Beckon setting; see docs/operations.md.',
			);
		});

		it("is none if the machine's clients have variables", () => {
			const root = join(import.meta.dirname, '../../..');
			const pages = ['cli/README.md', 'docs/agents.md', 'docs/n8n.md', 'docs/senders.md'];
			const sources = readdirSync(join(root, 'cli/src')).map((name) => join('cli/src', name));
			const text = [...pages, ...sources].map((file) => readFileSync(join(root, file), 'utf8'));
			const named = text.join('').match(/\bBECKON_[A-Z_]*[A-Z]/g) ?? [];
			const theirs = named.filter((name) => !(name in SETTINGS)).map((name) => [name, 'x']);
			const clients = Object.fromEntries(theirs) as Record<string, string>;
			expect(Object.keys(clients).sort()).toEqual([
				...['BECKON_API_KEY', 'BECKON_SENDER_KEY', 'BECKON_URL'],
			]);
			expect(readConfig(clients)).toEqual(readConfig({}));
		});

		it('is none in what Kubernetes says of Services of this name', () => {
			const links = {
				BECKON_SERVICE_HOST: '10.0.0.7',
				BECKON_SERVICE_PORT: '80',
				BECKON_SERVICE_PORT_HTTP: '80',
				BECKON_PORT: 'tcp://10.0.0.7:80',
				BECKON_PORT_80_TCP_ADDR: '10.0.0.7',
				BECKON_METRICS_PORT: 'tcp://10.0.0.8:9787',
				BECKON_METRICS_SERVICE_HOST: '10.0.0.8',
			};
			expect(readConfig(links)).toEqual(readConfig({}));
		});

		it('is reported together with all others, each with its rule and an example that is right', async () => {
			const wrong = Object.fromEntries(
				Object.keys(SETTINGS)
					.filter((name) => !['BECKON_DATA', 'BECKON_PORT'].includes(name))
					.map((name) => [name, name === 'BECKON_APNS_BUNDLE_ID' ? 'com.example.app' : '']),
			);
			const settings = { ...wrong, BECKON_TYPO: '1', BECKON_APNS_KEY_FILE: '/nowhere.p8' };
			const { code, stderr } = await refused(folder('unborn'), settings);
			expect(code).toBe(1);
			const lines = stderr.trimEnd().split('\n');
			const optional = Object.entries(SETTINGS).filter(
				([, { schema }]) => schema.safeParse('').success,
			);
			const mistaken = Object.keys(wrong).filter(
				(name) => !optional.some(([allowed]) => allowed === name),
			);
			expect(mistaken.length).toBeGreaterThan(15);
			expect(lines.map((line) => line.split(/[ ,]/)[0])).toEqual([
				'BECKON_TYPO',
				...Object.keys(SETTINGS).filter(
					(name) => mistaken.includes(name) || name === 'BECKON_APNS_KEY_FILE',
				),
				'BECKON_APNS_KEY_ID',
			]);
			for (const line of lines.slice(1))
				expect(line).toMatch(/ (must|names) .*\. Example: BECKON_\w+=\S/);
			expect(existsSync(folder('unborn'))).toBe(false);
		});

		it('is answered with examples that are right', () => {
			const files = ['BECKON_APNS_KEY_FILE', 'BECKON_APNS_CA_FILE'];
			for (const [name, { schema, example }] of Object.entries(SETTINGS)) {
				const { success } = schema.safeParse(example);
				expect({ name, example, success }).toEqual({
					name,
					example,
					success: !files.includes(name),
				});
			}
		});
	});

	describe('in the address', () => {
		it('is reported when the port is in use', async () => {
			const taken = createServer();
			await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
			const { port } = taken.address() as { port: number };
			const args = ['start', '--data', folder('taken'), '--port', `${port}`];
			const line = `Port ${port} on 127.0.0.1 is in use by another program. Choose another with --port.`;
			holdLines(await runCli(args), line);
			const { code, stdout, stderr } = await runCli([...args, '--json']);
			expect({ code, stdout, said: JSON.parse(stderr) }).toEqual({
				code: 1,
				stdout: '',
				said: { error: 'failed', message: line },
			});
			holdLines(
				await start(folder('metrics'), { BECKON_METRICS_PORT: `${port}` }),
				`Cannot serve metrics on port ${port} of 127.0.0.1 (EADDRINUSE). Choose others with BECKON_METRICS_PORT and BECKON_METRICS_HOST.`,
			);
			await new Promise((resolve) => taken.close(resolve));
		});

		it('is reported when it is not an address of this machine', async () => {
			const args = ['start', '--data', folder('elsewhere'), '--port', '0'];
			const line = (host: string) =>
				`${host} is not an address of this machine. Choose another with --host.`;
			holdLines(await runCli([...args, '--host', '192.0.2.1']), line('192.0.2.1'));
		});
	});

	describe('in what they ask for', () => {
		const data = ['--data', folder('data')];
		const acme = ['--account', 'acme'];

		it('is reported in a line, and changes nothing', async () => {
			await runJson(['account', 'create', '--name', 'acme', '--owner', 'o@example.com', ...data]);
			const cases: Array<[string[], string | RegExp]> = [
				[
					['account', 'create', '--name', 'acme', '--owner', 'o@example.com'],
					'There is already an account named acme.',
				],
				[['key', 'list', '--account', 'nobody'], 'There is no account named nobody.'],
				[
					['key', 'create', ...acme, '--name', 'k', '--channels', 'ops'],
					'This account has no channel ops.',
				],
				[
					['key', 'revoke', ...acme, '--key', 'key_x'],
					'This account has no unrevoked API key with the id key_x.',
				],
				[['user', 'add', ...acme, '--name', 'owner'], 'This account already has a user owner.'],
				[['channel', 'create', ...acme, '--slug', 'Ops!'], /^The slug must be a channel slug: /],
				[
					['channel', 'assign', ...acme, '--channel', 'ops', '--users', 'owner'],
					'This account has no channel ops.',
				],
				[['device', 'pair-code', ...acme, '--user', 'eve'], 'This account has no user eve.'],
				[
					['metric', 'create', ...acme, '--key', 'mrr', '--format', 'currency'],
					'unit is required for this format: a currency such as EUR, or a unit such as ms.',
				],
			];
			for (const [args, line] of cases) holdLines(await runCli([...args, ...data]), line);
			expect(await runJson(['channel', 'list', ...acme, ...data])).toEqual([]);
			expect(await runJson(['key', 'list', ...acme, ...data])).toEqual([]);
			expect(await runJson(['user', 'list', ...acme, ...data])).toHaveLength(1);
		});

		it('puts nobody into a channel when one of those named does not exist', async () => {
			await runJson(['channel', 'create', ...acme, '--slug', 'night', ...data]);
			holdLines(
				await runCli([
					'channel',
					'assign',
					...acme,
					'--channel',
					'night',
					'--users',
					'owner,eve',
					...data,
				]),
				'This account has no user eve.',
			);
			expect(await runJson(['channel', 'list', ...acme, ...data])).toMatchObject([
				{ slug: 'night', users: [] },
			]);
		});

		it('is reported when an option is missing, wrong or unknown', async () => {
			const cases: Array<[string[], RegExp]> = [
				[
					['account', 'create', '--name', 'a'],
					/^error: required option '--owner <email>' not specified$/,
				],
				[
					['account', 'create', '--name', 'a', '--owner', 'nobody'],
					/^error: option '--owner <email>' argument 'nobody' is invalid\. Use an email address\.$/,
				],
				[
					['account', 'create', '--name', 'a', '--owner', 'o@e.co', '--plan', 'free'],
					/argument 'free' is invalid\. Allowed choices are paid, trial\.$/,
				],
				[['account', 'set', ...acme, '--quota', '-1'], /Use a whole number, or none\.$/],
				[['account', 'set', ...acme, '--trial-ends', 'soon'], /Use a date and time such as/],
				[
					['metric', 'create', ...acme, '--key', 'CPU'],
					/It must be 1 to 64 characters: lowercase letters/,
				],
				[
					['metric', 'create', ...acme, '--key', 'a', '--format', 'roman'],
					/Allowed choices are number, currency, percent, unit, string\.$/,
				],
				[
					['account', 'create', '--name', ' ', '--owner', 'o@e.co'],
					/^error: option '--name <name>' argument ' ' is invalid\. It must be 1 to 64 characters long\.$/,
				],
				...['user add', 'key create', 'metric create --key a', 'channel create --slug a'].map(
					(command): [string[], RegExp] => [
						[...command.split(' '), ...acme, '--name', 'n'.repeat(65)],
						/ is invalid\. It must be 1 to 64 characters long\.$/,
					],
				),
				[['history', 'list', ...acme, '--limit', '0'], /Use 1 to 1000\.$/],
				[['account', 'list', '--nonsense'], /^error: unknown option '--nonsense'$/],
				[['account', 'lst'], /^error: unknown command 'lst'/],
				[['frobnicate'], /^error: unknown command 'frobnicate'/],
			];
			for (const [args, line] of cases) {
				const { code, stdout, stderr } = await runCli([...args, ...(args.length > 1 ? data : [])]);
				expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
				const [first, ...rest] = stderr.trimEnd().split('\n');
				expect(first).toMatch(line);
				expect(rest.filter((text) => !text.startsWith('(Did you mean'))).toEqual([]);
			}
		});
	});
});
