import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Migration, migrations } from '../../src/store/migrations/index.ts';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { NEWEST } from '../support/next-migration.ts';
import { putReleased, RELEASED } from '../support/released.ts';

/** Of the statements that the migration runs on the two engines, whatever their indentation. */
function fingerprint(migration: Migration): string {
	const hash = createHash('sha256');
	for (const engine of ['sqlite', 'postgres'] as const)
		for (const statement of migration(engine))
			hash.update(`${statement.replaceAll(/\s+/g, ' ')};\n`);
	return hash.digest('hex').slice(0, 8);
}

it.each(RELEASED)('the migrations of version %s stay as they are', async (version) => {
	const directory = temporaryDirectory();
	putReleased(version, directory.path);
	const place = { directory: directory.path, url: '' };
	const { migrated, close } = await openDatabase(place, { olderStore: 'plan' });
	await close();
	directory.remove();
	expect(Object.keys(migrations)).toContain(migrated?.from ?? NEWEST);
});

describe('the name of a migration', () => {
	it.each(Object.entries(migrations))('%s ends with its fingerprint', (name, migration) => {
		const right = `${name.replace(/-[\da-f]{8}$/, '')}-${fingerprint(migration)}`;
		const advice =
			'Its statements were edited. If it is released, undo that and add a migration; otherwise rename it in store/migrations/index.ts, which makes existing stores unusable';
		expect({ advice, name }).toEqual({ advice, name: right });
	});
});
