import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { BY_HAND, MIGRATIONS, sqlFiles, STATEMENTS } from '../../scripts/write-sql.ts';

it('is written anew after a change of a table or a statement: npm run sql -w server', async () => {
	const names = globSync([join(STATEMENTS, '*.sql'), join(MIGRATIONS, '*.sql')]);
	const texts = names.map((name) => [name, readFileSync(name, 'utf8')] as const);
	const written = texts.filter(([, text]) => !text.startsWith(BY_HAND));
	expect(Object.fromEntries(written)).toEqual(await sqlFiles());
});
