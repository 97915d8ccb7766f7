import { shownStore } from '../config.ts';
import { COPIED_TABLES, copyData } from '../store/copy-data.ts';
import { openDatabase } from '../store/open.ts';
import { StoreUnusableError } from '../store/errors.ts';
import { type CommandData, COMMON, listing } from './commands.ts';
import { type CommonOptions, loadConfig, print } from './run.ts';

async function run(options: CommonOptions): Promise<void> {
	const config = loadConfig(options);
	if (config.BECKON_DATABASE_URL === '')
		throw new StoreUnusableError(
			'Set BECKON_DATABASE_URL to the PostgreSQL database to copy to: postgres://user:password@host/name',
		);
	// Anything a running server accepted during the copy would be missing from it.
	const source = await openDatabase(
		{ directory: config.BECKON_DATA, url: '' },
		{ mustExist: true, isServer: true },
	);
	try {
		const target = await openDatabase(
			// One statement may take longer than a pooler of transactions, or its database's roles, allow.
			{ directory: '', url: config.BECKON_DATABASE_LISTEN_URL || config.BECKON_DATABASE_URL },
			{ hasNoTimeouts: true },
		);
		try {
			const rows = await copyData(source, target);
			const [from, to] = [config.BECKON_DATA, shownStore(config)];
			const counts = listing(COPIED_TABLES, { TABLE: (name) => name, ROWS: (name) => rows[name] });
			print(
				{
					json: { from, to, rows },
					lines: [
						`Copied ${from} to ${to}; the row counts match.`,
						'',
						...counts.lines,
						'',
						'Start every server with this BECKON_DATABASE_URL from now on. The folder is unchanged; keep it as a backup.',
					],
				},
				options,
			);
		} finally {
			await target.close();
		}
	} finally {
		await source.close();
	}
}

export const migrateData: CommandData = {
	about: 'copy the embedded store to the empty PostgreSQL database of BECKON_DATABASE_URL',
	options: COMMON,
	run,
};
