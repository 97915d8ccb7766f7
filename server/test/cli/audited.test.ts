import { beforeAll, expect, it } from '@jest/globals';
import { readConfig, toStoreLocation } from '../../src/config.ts';
import { openDatabase } from '../../src/store/open.ts';
import { cliWithAccount } from '../support/cli.ts';
import { storeSettings } from '../support/store.ts';

const { acme, json, directory } = cliWithAccount();

beforeAll(async () => {
	const settings = await storeSettings(directory.path);
	const database = await openDatabase(toStoreLocation(readConfig(settings)));
	await database.write(null, async (db) => {
		const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
		await db
			.insertInto('streams')
			.values({ account_id: id, stream_key: 'deploy', updated_at: 0 })
			.execute();
	});
	await database.close();
});

const entries = async () => {
	const settings = await storeSettings(directory.path);
	const database = await openDatabase(toStoreLocation(readConfig(settings)));
	const rows = await database.read.selectFrom('audit_log').selectAll().orderBy('id').execute();
	await database.close();
	return rows.map(({ event, subject, actor }) => `${actor}: ${event} ${subject ?? ''}`.trim());
};

/** Commands that change who is reached or who may act, in an order in which each finds what it needs. */
it.each<[string[], string]>([
	[['user', 'add', '--name', 'ann'], 'person_added ann'],
	[['channel', 'create', '--slug', 'ops'], 'channel_created ops'],
	[['channel', 'assign', '--channel', 'ops', '--users', 'ann'], 'channel_changed ops: added ann'],
	[['device', 'pair-code', '--user', 'ann'], 'pair_code_created ann'],
	[['metric', 'create', '--key', 'load'], 'metric_created load'],
	[['metric', 'remove', '--key', 'load'], 'metric_deleted load'],
	[['channel', 'remove', '--channel', 'ops'], 'channel_deleted ops'],
	[['user', 'remove', '--name', 'ann'], 'person_removed ann'],
	[['key', 'create', '--name', 'n8n'], 'key_created n8n (bk_…'],
	[['account', 'setup-link'], 'setup_link_created'],
	[['account', 'set', '--plan', 'trial'], 'plan_changed trial'],
])('beckon-server %j makes one entry in the audit log', async (command, entry) => {
	const before = await entries();
	await json(...command, ...acme);
	expect((await entries()).slice(before.length)).toEqual([
		expect.stringContaining(`command_line: ${entry}`),
	]);
});

it('beckon-server key revoke makes one entry in the audit log', async () => {
	const { id } = await json('key', 'create', ...acme, '--name', 'old');
	const before = await entries();
	await json('key', 'revoke', ...acme, '--key', id);
	expect((await entries()).slice(before.length)).toEqual([
		expect.stringMatching(/^command_line: key_revoked old \(bk_…/),
	]);
});
