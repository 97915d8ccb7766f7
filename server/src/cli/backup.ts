import { shownStore } from '../config.ts';
import { StoreUnusableError } from '../store/errors.ts';
import { backUp } from '../store/engine/sqlite/files.ts';
import { dataCommand, required } from './commands.ts';

export const backup = dataCommand(
	'write a copy of the embedded store to a new file, also while the server runs',
	{
		options: { to: required('--to <file>', 'the new file') },
		run: async ({ database }, { to }, config) => {
			const store = shownStore(config);
			if (config.BECKON_DATABASE_URL !== '') {
				throw new StoreUnusableError(
					`The data is in ${store}. Back it up with PostgreSQL's own pg_dump; docs/operations.md says how.`,
				);
			}
			await backUp(database.read, to);
			return { json: { from: config.BECKON_DATA, to }, lines: [`Copied ${store} to ${to}.`] };
		},
	},
);
