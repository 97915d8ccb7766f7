import type { Command } from 'commander';
import { shownStore } from '../config.ts';
import { COPIED_TABLES, copyData, CopyRefusedError } from '../store/copy-data.ts';
import { openDatabase } from '../store/open.ts';
import { StoreUnusableError } from '../store/errors.ts';
import { recordedAddress } from './address.ts';
import { type CommonOptions, fail, loadConfig, print, table, withCommonOptions } from './run.ts';

/** Milliseconds to wait for an answer from a server that may be running. */
const ANSWER_MS = 2_000;

async function assertNothingRuns(address: string | undefined): Promise<void> {
	if (address === undefined) return;
	const isAnswering = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
		() => true,
		() => false,
	);
	if (isAnswering) {
		throw new CopyRefusedError(
			`A server runs on this data, at ${address}. Stop it first: what it accepted during the copy would be missing there.`,
		);
	}
}

async function migrateData(options: CommonOptions): Promise<void> {
	try {
		const config = loadConfig(options);
		if (config.BECKON_DATABASE_URL === '') {
			throw new StoreUnusableError(
				'Set BECKON_DATABASE_URL to the PostgreSQL database that is to receive the data: postgres://user:password@host/name',
			);
		}
		const embedded = { ...config, BECKON_DATABASE_URL: '' };
		await assertNothingRuns(recordedAddress(embedded));
		const source = await openDatabase(
			{ directory: config.BECKON_DATA, url: '' },
			{ mustExist: true, isServer: true },
		);
		try {
			const target = await openDatabase({ directory: '', url: config.BECKON_DATABASE_URL });
			try {
				const rows = await copyData(source, target);
				print(
					{
						json: { from: config.BECKON_DATA, to: shownStore(config), rows },
						lines: [
							`Copied ${config.BECKON_DATA} to ${shownStore(config)}; the rows were counted on both sides.`,
							'',
							...table(
								['TABLE', 'ROWS'],
								COPIED_TABLES.map((name) => [name, String(rows[name])]),
							),
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

export function addMigrateData(program: Command): void {
	withCommonOptions(
		program
			.command('migrate-data')
			.description(
				'copy the embedded store to the empty PostgreSQL database of BECKON_DATABASE_URL',
			),
	).action(migrateData);
}
