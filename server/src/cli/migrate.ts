import { shownStore, toStoreLocation } from '../config.ts';
import type { Migrated } from '../store/database.ts';
import { openDatabase } from '../store/open.ts';
import { type CommandData, COMMON, optional, type Values } from './commands.ts';
import { type CommonOptions, loadConfig, print } from './run.ts';

/** What was migrated, in a line for people. */
export function migrationLine({ from, to, copy }: Migrated): string {
	return `Migrated from ${from} to ${to}${copy === undefined ? '' : `; the previous data is in ${copy}`}`;
}

function toLines(store: string, migrated: Migrated | undefined): string[] {
	if (migrated === undefined) return [`${store} is up to date; nothing was changed.`];
	const { from, to, statements } = migrated;
	if (statements === undefined) return [migrationLine(migrated)];
	const text = statements.map((statement) => `\n${statement};`).join('\n');
	return [
		`-- Would migrate ${store} from ${from} to ${to}; nothing was changed.`,
		...text.replaceAll('\t', '  ').split('\n'),
	];
}

const options = {
	...COMMON,
	dryRun: optional<boolean>('--dry-run', 'print the statements, and change nothing'),
};

async function run(given: CommonOptions): Promise<void> {
	const config = loadConfig(given);
	const { dryRun = false } = given as Values<typeof options>;
	const database = await openDatabase(toStoreLocation(config), {
		mustExist: true,
		isServer: !dryRun,
		olderStore: dryRun ? 'plan' : 'migrate alone',
	});
	await database.close();
	const [store, { migrated }] = [shownStore(config), database];
	print(
		{ json: { data: store, migrated: migrated ?? null }, lines: toLines(store, migrated) },
		given,
	);
}

export const migrate: CommandData = {
	about: 'migrate the data that an older version wrote, while no server runs on it',
	options,
	run,
};
