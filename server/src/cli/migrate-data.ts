import { shownStore } from '../config.ts';
import { COPIED_TABLES, copyData } from '../store/copy-data.ts';
import { openDatabase } from '../store/open.ts';
import { StoreUnusableError } from '../store/errors.ts';
import { type CommandData, COMMON, listing } from './commands.ts';
import { type CommonOptions, fail, loadConfig, print } from './run.ts';

async function run(options: CommonOptions): Promise<void> {
	try {
		const config = loadConfig(options);
		if (config.BECKON_DATABASE_URL === '') {
			throw new StoreUnusableError(
				'Set BECKON_DATABASE_URL to the PostgreSQL database that is to receive the data: postgres://user:password@host/name',
			);
		}
		// What a running server accepted during the copy would be missing in it.
		const source = await openDatabase(
			{ directory: config.BECKON_DATA, url: '' },
			{ mustExist: true, isServer: true },
		);
		try {
			const target = await openDatabase(
				{ directory: '', url: config.BECKON_DATABASE_URL },
				{ isPatient: true },
			);
			try {
				const rows = await copyData(source, target);
				print(
					{
						json: { from: config.BECKON_DATA, to: shownStore(config), rows },
						lines: [
							`Copied ${config.BECKON_DATA} to ${shownStore(config)}; the rows were counted on both sides.`,
							'',
							...listing(COPIED_TABLES, { TABLE: (name) => name, ROWS: (name) => rows[name] })
								.lines,
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
	} catch (error) {
		fail(error, options);
	}
}

export const migrateData: CommandData = {
	about: 'copy the embedded store to the empty PostgreSQL database of BECKON_DATABASE_URL',
	options: COMMON,
	run,
};
