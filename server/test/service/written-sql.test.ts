import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { MIGRATIONS, sqlFiles, STATEMENTS } from '../../scripts/write-sql.ts';

it('is written anew after a change of a table or a statement: npm run sql -w server', async () => {
	// The functions of the rate windows are written by hand.
	const names = globSync([join(STATEMENTS, '*.sql'), join(MIGRATIONS, '*.sql')], {
		exclude: ['**/0001-rate-windows.*'],
	});
	const written = Object.fromEntries(names.map((name) => [name, readFileSync(name, 'utf8')]));
	expect(written).toEqual(await sqlFiles());
});
