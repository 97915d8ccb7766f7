import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { cliWithAccount } from '../support/cli.ts';
import { runCli } from '../support/process.ts';
import { isOnPostgres } from '../support/store.ts';

const { directory, json, lines } = cliWithAccount();

it('beckon-server migrate says that there is nothing to do', async () => {
	expect(await json('migrate')).toEqual({ data: expect.any(String), migrated: null });
	for (const options of [[], ['--dry-run']])
		expect(await lines('migrate', ...options)).toEqual([
			expect.stringMatching(/ is up to date; nothing was changed\.$/),
		]);
});

if (isOnPostgres)
	process.stderr.write('Creating no store is tested on SQLite: a PostgreSQL database exists.\n');
(isOnPostgres ? it.skip : it)('beckon-server migrate creates no store', async () => {
	const data = join(directory.path, 'none');
	const { code, stderr } = await runCli(['migrate', '--data', data]);
	expect({ code, stderr }).toEqual({
		code: 1,
		stderr: `There is no store in ${data}. Check --data or BECKON_DATA; \`beckon-server start\` creates a new store.\n`,
	});
});
