import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { filesThatHold, temporaryDirectory } from '../support/directory.ts';
import { runCli, runJson } from '../support/process.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[A-Za-z0-9_-]{16}$`));

/** Each test starts the program several times. */
jest.setTimeout(60_000);

/** Every verb, as people and as scripts call it, one after another on one data directory. */
describe('the command line', () => {
	const directory = temporaryDirectory();
	const data = ['--data', directory.path];
	const acme = ['--account', 'acme'];
	afterAll(() => directory.remove());

	/** The lines that people see; nothing may go to standard error. */
	async function lines(...args: string[]): Promise<string[]> {
		const { code, stdout, stderr } = await runCli([...args, ...data]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout.endsWith('\n')).toBe(true);
		return stdout.trimEnd().split('\n');
	}

	/** The JSON value that scripts get: one line, and nothing else. */
	async function json(...args: string[]): Promise<any> {
		const { code, stdout, stderr } = await runCli([...args, ...data, '--json']);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout).toMatch(/^[^\n]+\n$/);
		return JSON.parse(stdout);
	}

	beforeAll(async () => {
		await runJson(['account', 'create', '--name', 'acme', '--owner', 'owner@example.com', ...data]);
	});

	it('account create should make an account with its owner as first user', async () => {
		expect(await json('account', 'create', '--name', 'globex', '--owner', 'g@example.com')).toEqual(
			{
				...{ id: ID('acc'), name: 'globex', owner_email: 'g@example.com', plan: 'paid' },
				...{ trial_ends_at: null, quota: null, overage_cap: null, user: 'owner' },
			},
		);
		const [line] = await lines(
			'account',
			'create',
			'--name',
			'trial',
			'--owner',
			't@example.com',
			'--plan',
			'trial',
		);
		expect(line).toMatch(/^Account trial \(acc_.{16}\), with the user owner\.$/);
	});

	it('account list should show them', async () => {
		const accounts = await json('account', 'list');
		expect(accounts.map(({ name, plan }: any) => [name, plan])).toEqual([
			['acme', 'paid'],
			['globex', 'paid'],
			['trial', 'trial'],
		]);
		const trialEnds = Date.parse(accounts[2].trial_ends_at) - Date.now();
		expect(trialEnds / 86_400_000).toBeCloseTo(14, 1);
		const [header, first] = await lines('account', 'list');
		expect(header).toMatch(/^ID +NAME +OWNER +PLAN$/);
		expect(first).toMatch(/^acc_.{16}  acme +owner@example\.com +paid$/);
	});

	it('account set should change the plan and its limits, and leave alone what is not named', async () => {
		await json('account', 'create', '--name', 'initech', '--owner', 'i@example.com');
		const set = (...options: string[]) =>
			json('account', 'set', '--account', 'initech', ...options);
		expect(await set('--quota', '100', '--overage-cap', '20')).toMatchObject({
			plan: 'paid',
			quota: 100,
			overage_cap: 20,
		});
		expect(await set('--plan', 'trial', '--trial-ends', '2030-01-02T03:04:05Z')).toMatchObject({
			...{ plan: 'trial', trial_ends_at: '2030-01-02T03:04:05.000Z', quota: 100, overage_cap: 20 },
		});
		expect(await set('--quota', 'none')).toMatchObject({
			plan: 'trial',
			quota: null,
			overage_cap: 20,
		});
		expect(await lines('account', 'set', '--account', 'initech', '--plan', 'paid')).toHaveLength(2);
		expect((await json('account', 'list')).at(-1)).toMatchObject({
			name: 'initech',
			plan: 'paid',
			quota: null,
			overage_cap: 20,
		});
	});

	it('user add and user list should know the users', async () => {
		expect(
			await json('user', 'add', ...acme, '--name', 'ann', '--email', 'ann@example.com'),
		).toEqual({
			...{ id: ID('usr'), name: 'ann', email: 'ann@example.com' },
		});
		expect(await lines('user', 'add', ...acme, '--name', 'bob')).toEqual(['User bob.']);
		expect(await json('user', 'list', ...acme)).toEqual([
			{ id: ID('usr'), name: 'owner', email: 'owner@example.com' },
			{ id: ID('usr'), name: 'ann', email: 'ann@example.com' },
			{ id: ID('usr'), name: 'bob', email: null },
		]);
		expect(await lines('user', 'list', ...acme)).toHaveLength(4);
	});

	it('channel create, assign and list should know the channels and their members', async () => {
		expect(
			await json('channel', 'create', ...acme, '--slug', 'ops', '--name', 'Operations'),
		).toEqual({
			...{ slug: 'ops', name: 'Operations' },
		});
		expect(await lines('channel', 'create', ...acme, '--slug', 'sales')).toEqual([
			'Channel sales.',
		]);
		expect(
			await json('channel', 'assign', ...acme, '--channel', 'ops', '--users', 'ann, bob'),
		).toEqual({
			...{ slug: 'ops', users: ['ann', 'bob'], devices: [] },
		});
		expect(
			await lines('channel', 'assign', ...acme, '--channel', 'sales', '--users', 'ann'),
		).toEqual(['ann → sales']);
		expect(await json('channel', 'list', ...acme)).toEqual([
			{ slug: 'ops', name: 'Operations', users: ['ann', 'bob'], devices: [] },
			{ slug: 'sales', name: 'sales', users: ['ann'], devices: [] },
		]);
		expect((await lines('channel', 'list', ...acme))[1]).toMatch(/^ops +Operations +ann,bob$/);
	});

	it('key create should print the key this once; only its fingerprint is stored', async () => {
		const created = await json(
			'key',
			'create',
			...acme,
			'--name',
			'n8n',
			'--channels',
			'ops,sales',
		);
		expect(created).toMatchObject({
			...{
				key: expect.stringMatching(/^bk_[A-Za-z0-9_-]{43}$/),
				id: ID('key'),
				name: 'n8n',
				channels: ['ops', 'sales'],
			},
			...{
				last_four: created.key.slice(-4),
				created_at: expect.stringMatching(TIME),
				last_used_at: null,
				revoked_at: null,
			},
		});
		const [key = '', empty, note] = await lines('key', 'create', ...acme, '--name', 'all');
		expect(key).toMatch(/^bk_[A-Za-z0-9_-]{43}$/);
		expect([empty, note]).toEqual(['', expect.stringMatching(/^Keep it now/)]);

		const shown = await runCli(['key', 'list', ...acme, ...data, '--json']);
		for (const secret of [created.key, key]) {
			expect(shown.stdout).not.toContain(secret);
			expect(shown.stdout).toContain(secret.slice(-4));
		}
		expect(readdirSync(directory.path)).toContain('beckon.db');
		// What is stored can be searched for: the name of the key is there, the key is not.
		expect(filesThatHold(directory.path, ['n8n'])).not.toEqual([]);
		expect(
			filesThatHold(directory.path, [created.key, key, created.key.slice(3), key.slice(3)]),
		).toEqual([]);
	});

	it('key list and key revoke should know the keys, and revoke one once', async () => {
		const [first, second] = await json('key', 'list', ...acme);
		expect([first.name, first.channels, second.name, second.channels]).toEqual([
			'n8n',
			['ops', 'sales'],
			'all',
			null,
		]);
		expect(await json('key', 'revoke', ...acme, '--key', first.id)).toEqual({ revoked: first.id });
		expect(await lines('key', 'revoke', ...acme, '--key', second.id)).toEqual([
			`Key ${second.id} is revoked.`,
		]);
		for (const { revoked_at: revoked } of await json('key', 'list', ...acme))
			expect(revoked).toMatch(TIME);
		const again = await runCli(['key', 'revoke', ...acme, '--key', first.id, ...data]);
		expect(again.code).toBe(1);
		expect((await lines('key', 'list', ...acme))[1]).toMatch(
			/^key_.{16}  n8n +….{4} +ops,sales +never +20/,
		);
	});

	it('device pair-code should print a code and a link; only its fingerprint is stored', async () => {
		const pairing = await json('device', 'pair-code', ...acme, '--user', 'ann');
		expect(pairing).toEqual({
			...{
				code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
				user: 'ann',
				expires_at: expect.stringMatching(TIME),
			},
			link: `http://127.0.0.1:8787/phone#code=${pairing.code}`,
		});
		expect((Date.parse(pairing.expires_at) - Date.now()) / 60_000).toBeCloseTo(15, 0);
		const [code, link, note] = await lines('device', 'pair-code', ...acme);
		expect(code).toMatch(/^Code  [2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
		expect(link).toBe(`Link  http://127.0.0.1:8787/phone#code=${code!.slice(6).replace('-', '')}`);
		expect(note).toMatch(/^For a phone of owner, once, until 20/);
		expect(filesThatHold(directory.path, [pairing.code, code!.slice(6).replace('-', '')])).toEqual(
			[],
		);
	});

	it('device pair-code should print links that begin where people reach the server', async () => {
		const linkOf = async (settings: Record<string, string>) =>
			(await runJson(['device', 'pair-code', ...acme, ...data], settings)).link.replace(/#.*/, '');
		expect(await linkOf({ BECKON_PUBLIC_URL: 'https://beckon.example.com/' })).toBe(
			'https://beckon.example.com/phone',
		);
		expect(await linkOf({ BECKON_HOST: '0.0.0.0', BECKON_PORT: '80' })).toBe(
			'http://localhost:80/phone',
		);
		expect(await linkOf({ BECKON_HOST: '::1' })).toBe('http://[::1]:8787/phone');
	});

	it('device list should show the phones', async () => {
		expect(await json('device', 'list', ...acme)).toEqual([]);
		expect(await lines('device', 'list', ...acme)).toEqual([
			'ID  NAME  USER  PLATFORM  STATUS  LAST SEEN',
		]);
		const demo = await json('demo');
		expect(await json('device', 'list', '--account', 'demo')).toEqual([
			{
				...{
					id: demo.device_id,
					name: 'Demo phone',
					user: 'owner',
					platform: 'web',
					status: 'active',
				},
				...{ paired_at: expect.stringMatching(TIME), last_seen_at: expect.stringMatching(TIME) },
			},
		]);
	});

	it('metric create and metric list should know the metrics', async () => {
		const load = {
			key: 'cpu.load',
			name: 'CPU load',
			format: 'percent',
			unit: null,
			value: null,
			measured_at: null,
		};
		expect(
			await json(
				'metric',
				'create',
				...acme,
				'--key',
				'cpu.load',
				'--name',
				'CPU load',
				'--format',
				'percent',
			),
		).toEqual(load);
		expect(
			await lines(
				'metric',
				'create',
				...acme,
				'--key',
				'mrr',
				'--format',
				'currency',
				'--unit',
				'EUR',
			),
		).toEqual(['Metric mrr.']);
		expect(await json('metric', 'list', ...acme)).toEqual([
			load,
			{ ...load, key: 'mrr', name: 'mrr', format: 'currency', unit: 'EUR' },
		]);
		expect((await lines('metric', 'list', ...acme))[1]).toMatch(
			/^cpu\.load +CPU load +percent +never$/,
		);
	});

	it('history list should be empty where nothing was sent', async () => {
		expect(await json('history', 'list', ...acme, '--tags', 'a,b', '--limit', '5')).toEqual([]);
		expect(await lines('history', 'list', ...acme)).toEqual(['WHEN  KIND  TITLE  TAGS  ENDED']);
	});

	it('demo should seed what there is to try, and again with a fresh key and phone beside', async () => {
		const first = await json('demo');
		expect(first).toEqual({
			...{ account: 'demo', base_url: 'http://127.0.0.1:8787/api', channels: ['ops', 'sales'] },
			...{
				key: expect.stringMatching(/^bk_/),
				device_id: ID('dev'),
				device_token: expect.stringMatching(/^bd_/),
			},
			...{
				pair_code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
				metrics: expect.arrayContaining(['cpu.load']),
			},
			phone: `http://127.0.0.1:8787/phone#token=${first.device_token}`,
			pair: `http://127.0.0.1:8787/phone#code=${first.pair_code}`,
		});
		const text = await lines('demo', '--port', '9000');
		expect(text).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^Base URL +http:\/\/127\.0\.0\.1:9000\/api$/),
			]),
		);
		const key = /bk_\S+/.exec(text.join(' '))?.[0] ?? '';
		expect(key).not.toBe(first.key);
		expect(
			filesThatHold(directory.path, [first.key, first.device_token, first.pair_code, key]),
		).toEqual([]);
		expect(await json('channel', 'list', '--account', 'demo')).toHaveLength(2);
	});

	it('--help and --version should say what there is', async () => {
		const { code, stdout } = await runCli(['--help']);
		expect(code).toBe(0);
		for (const verb of [
			'start',
			'account',
			'user',
			'key',
			'channel',
			'device',
			'metric',
			'stream',
			'history',
			'demo',
		]) {
			expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
		}
		expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});
});
