import { beforeAll, describe, expect, it } from '@jest/globals';
import { cliWithAccount, ID, TIME } from '../support/cli.ts';
import { runCli } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';

/** In turn on one data directory. */
describe('the verb key', () => {
	const { acme, lines, json, directory, data } = cliWithAccount();

	beforeAll(async () => {
		for (const slug of ['ops', 'sales']) await json('channel', 'create', ...acme, '--slug', slug);
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
		expect([empty, note]).toEqual(['', expect.stringMatching(/^Save it now/)]);

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

	it('key create --sender prints a sender key, which names its channels', async () => {
		const create = ['key', 'create', ...acme, '--name', 'kuma', '--sender'];
		const refused = await runCli([...create, ...data]);
		expect(refused.code).toBe(1);
		expect(refused.stderr).toContain('channels must name at least one');
		await json('channel', 'create', ...acme, '--slug', 'alerts');
		const created = await json(...create, '--channels', 'alerts');
		expect(created).toMatchObject({
			key: expect.stringMatching(/^bs_A[\w-]{14}$/),
			channels: ['alerts'],
			sender: true,
			last_accepted_at: null,
			last_refused_at: null,
			last_refusal: null,
		});
		const listed = await lines('key', 'list', ...acme);
		expect(listed.find((line) => line.includes('kuma'))).toContain(`bs_…${created.key.slice(-4)}`);
	});
});
