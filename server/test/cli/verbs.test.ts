import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { cliOf } from '../support/cli.ts';
import { runCli, runJson } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[A-Za-z0-9_-]{16}$`));

/** Each test starts the program several times. */
jest.setTimeout(60_000);

/** Every verb, as people and scripts call it, in turn on one data directory. */
describe('the command line', () => {
	const directory = temporaryDirectory();
	const data = ['--data', directory.path];
	const acme = ['--account', 'acme'];
	afterAll(() => directory.remove());

	const { lines, json } = cliOf(data);

	beforeAll(async () => {
		await runJson(['account', 'create', '--name', 'acme', '--owner', 'owner@example.com', ...data]);
	});

	it('account create makes an account with its owner as first user', async () => {
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

	it('account list shows the accounts', async () => {
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

	it('account set changes the plan and its limits, and leaves alone what is not named', async () => {
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

	it('user add and user list show the users', async () => {
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

	it('channel create, assign and list show the channels and their members', async () => {
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

	it('key create prints the key this once; only its fingerprint is stored', async () => {
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
		// Proves that the search works: the key's name is found, the key is not.
		expect(await placesThatHold(directory.path, ['n8n'])).not.toEqual([]);
		expect(
			await placesThatHold(directory.path, [created.key, key, created.key.slice(3), key.slice(3)]),
		).toEqual([]);
	});

	it('key list shows the keys, and key revoke revokes one once', async () => {
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
			/^key_.{16}  n8n +bk_….{4} +ops,sales +never +20/,
		);
	});
});
