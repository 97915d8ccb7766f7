import type { Command } from 'commander';
import { shownStore } from '../config.ts';
import { StoreUnusableError } from '../store/errors.ts';
import { backUp } from '../store/engine/sqlite/backup.ts';
import { type CommonOptions, onData, withCommonOptions } from './run.ts';

export function addBackup(program: Command): void {
	withCommonOptions(
		program
			.command('backup')
			.description('write a copy of the embedded store to a new file, also while the server runs'),
	)
		.requiredOption('--to <file>', 'the new file')
		.action((options: CommonOptions & { to: string }) =>
			onData(options, async ({ database }, config) => {
				if (config.BECKON_DATABASE_URL !== '') {
					throw new StoreUnusableError(
						`The data is in ${shownStore(config)}. Back it up with PostgreSQL's own pg_dump; docs/operations.md says how.`,
					);
				}
				await backUp(database.read, options.to);
				return {
					json: { from: config.BECKON_DATA, to: options.to },
					lines: [`Copied ${shownStore(config)} to ${options.to}.`],
				};
			}),
		);
}
