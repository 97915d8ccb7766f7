import { describe, expect, it } from '@jest/globals';
import { cliWithAccount, ID } from '../support/cli.ts';

/** In turn on one data directory. */
describe('the verbs account, user and channel', () => {
	const { acme, lines, json } = cliWithAccount();

	it('account create makes an account with its owner as first user', async () => {
		expect(await json('account', 'create', '--name', 'globex', '--owner', 'g@example.com')).toEqual(
			{
				...{ id: ID('acc'), name: 'globex', owner_email: 'g@example.com', plan: 'paid' },
				...{ trial_ends_at: null, quota: null, overage_cap: null, time_zone: null, user: 'owner' },
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
		expect(await set('--time-zone', 'europe/berlin')).toMatchObject({
			time_zone: 'Europe/Berlin',
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
});
