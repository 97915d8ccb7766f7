import { join } from 'node:path';
import { type Config, shownStore } from '../config.ts';
import { StoreUnusableError } from '../store/errors.ts';
import { DATABASE_FILE } from '../store/engine/sqlite/database.ts';
import { backUp, restore as restoreStore } from '../store/engine/sqlite/files.ts';
import { type CommandData, COMMON, dataCommand, required, type Values } from './commands.ts';
import { loadConfig, print } from './run.ts';

/** @throws StoreUnusableError for PostgreSQL, which has better tools */
function requireEmbedded(config: Config, tool: string): void {
	if (config.BECKON_DATABASE_URL === '') return;
	throw new StoreUnusableError(
		`The data is in ${shownStore(config)}. Use PostgreSQL's own ${tool}; docs/operations.md says how.`,
	);
}

export const backup = dataCommand(
	'write a copy of the embedded store to a new file, also while the server runs',
	{
		options: { to: required('--to <file>', 'the new file') },
		run: async ({ database }, { to }, config) => {
			requireEmbedded(config, 'pg_dump');
			await backUp(database.read, to);
			const { BECKON_DATA: from } = config;
			return { json: { from, to }, lines: [`Copied ${from} to ${to}, and checked it.`] };
		},
	},
);

const options = { ...COMMON, from: required('--from <file>', 'the backup') };

export const restore: CommandData = {
	about: 'put a backup in the place of the embedded store, while no server runs on it',
	options,
	run: async (given) => {
		const config = loadConfig(given);
		requireEmbedded(config, 'pg_restore');
		const { from } = given as Values<typeof options>;
		const { BECKON_DATA: to } = config;
		const replaced = (await restoreStore(join(to, DATABASE_FILE), from)) ?? null;
		const lines = [
			`Restored ${from} to ${to}. Keys and phones revoked after the backup work again: revoke them once more.`,
			...(replaced === null ? [] : [`The replaced data is in ${replaced}`]),
		];
		print({ json: { from, to, replaced }, lines }, given);
	},
};
