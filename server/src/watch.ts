import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { HOUR_MS, MINUTE_MS, TEN_MINUTES_MS } from './durations.ts';
import type { OperatorLog } from './operator-log.ts';
import type { Context } from './service/context.ts';
import type { Task } from './regular-work.ts';
import { alertOwners } from './service/upkeep/owners.ts';
import { createDirectory, fileTime, sweepUnfinished } from './store/engine/sqlite/files.ts';

/** The hour of the day, by the server's clock, of the nightly backup. */
const BACKUP_HOUR = 3;

const BACKUP = /^beckon-\d{8}T\d{6}Z\.db$/;

/** Bytes below which a disk counts as full: requests still fit, and the operator has time. */
const MIN_FREE_BYTES = 200_000_000;

/** Bytes that this user may still write on the folder's disk. */
export async function freeBytesOf(directory: string): Promise<number> {
	const { bavail, bsize } = await statfs(directory);
	return bavail * bsize;
}

/**
 * @returns how much room is left on the folder's disk
 * @throws Error if it counts as full
 */
export async function requireFreeSpace(directory: string): Promise<string> {
	const room = await freeBytesOf(directory);
	const left = `${Math.floor(room / 1e6)} MB left`;
	if (room < MIN_FREE_BYTES) throw new Error(`${left}. Free some space before the disk is full.`);
	return left;
}

/** The nightly backups in the folder, oldest first. */
function listBackups(directory: string): string[] {
	if (!existsSync(directory)) return [];
	const names = readdirSync(directory).filter((name) => BACKUP.test(name));
	return names.sort().map((name) => join(directory, name));
}

/** When the newest nightly backup was made, in milliseconds since 1970; -Infinity: there is none. */
export function lastBackup(directory: string): number {
	const newest = listBackups(directory).at(-1);
	return newest === undefined ? -Infinity : statSync(newest).mtimeMs;
}

/**
 * Makes a backup unless there is one since the last night, and deletes the oldest. A separate process makes it, since
 * copying would hold up all requests.
 * @throws Error with the output of the command
 */
async function backUpAtNight(
	{ BECKON_BACKUP_DIR: directory, BECKON_BACKUP_KEEP: keep, BECKON_DATA: data }: Config,
	now: number,
	signal?: AbortSignal,
): Promise<void> {
	createDirectory(directory);
	sweepUnfinished(directory);
	const night = new Date(now);
	night.setHours(BACKUP_HOUR, 0, 0, 0);
	if (night.getTime() > now) night.setDate(night.getDate() - 1);
	if (lastBackup(directory) >= night.getTime()) return;
	const file = join(directory, `beckon-${fileTime(now)}.db`);
	const backup = [process.argv[1] ?? '', 'backup', '--data', data, '--to', file];
	await new Promise<void>((resolve, reject) => {
		execFile(process.execPath, [...process.execArgv, ...backup], { signal }, (error, _, output) => {
			if (!error || signal?.aborted) resolve();
			else reject(new Error(output.trim() || error.message));
		});
	});
	for (const old of listBackups(directory).slice(0, -keep)) rmSync(old);
}

/** Tasks that detect failures no request would show, make backups, and tell owners of long failures. */
export function watchTasks(
	context: Context,
	log: OperatorLog,
	config: Config,
	signal: AbortSignal,
): Task[] {
	const { BECKON_DATA: data, BECKON_BACKUP_DIR: backups, BECKON_ALERT_ACCOUNT: account } = config;
	const watchDisk = () => log.watch('keeping room on the disk', () => requireFreeSpace(data));
	const backUp = () => backUpAtNight(config, context.now(), signal);
	const keepBackups = () => log.watch('backing up', backUp);
	const news: string[] = [];
	const sendAlerts = async () => {
		news.push(...log.takeAlerts());
		if (account !== '') await alertOwners(context, account, news);
		news.length = 0;
	};
	const watchAlerts = () => log.watch('telling BECKON_ALERT_ACCOUNT', sendAlerts);
	const isEmbedded = config.BECKON_DATABASE_URL === '';
	const disk = { everyMs: MINUTE_MS, what: 'watching the disk', work: watchDisk, isAtStart: true };
	const night = { everyMs: TEN_MINUTES_MS, what: 'backing up', work: keepBackups, isAtStart: true };
	return [
		{ everyMs: HOUR_MS, what: 'logging hourly totals', work: () => log.logSums() },
		...(isEmbedded ? [disk] : []),
		...(isEmbedded && backups !== '' ? [night] : []),
		{ everyMs: MINUTE_MS, what: 'telling owners', work: watchAlerts, isAtStart: true },
	];
}
