import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Kept between runs. */
const FOLDER = join(import.meta.dirname, '../../../../node_modules/.cache/debian-ntfy');

const PROGRAM = join(FOLDER, 'root/usr/bin/ntfy');

/** The release whose package does not change, whatever the machine's own is. */
const SOURCE = 'deb http://deb.debian.org/debian trixie main\n';

const TIME_LIMIT_MS = 120_000;

const execute = promisify(execFile);

/** Downloads Debian's package of the ntfy server, and unpacks it without installing it. */
async function unpack(): Promise<void> {
	const lists = join(FOLDER, 'lists');
	const cache = join(FOLDER, 'cache');
	for (const folder of [lists, join(cache, 'archives')])
		mkdirSync(join(folder, 'partial'), { recursive: true });
	const sources = join(FOLDER, 'sources.list');
	writeFileSync(sources, SOURCE);
	const settings = {
		'Dir::Etc::SourceList': sources,
		'Dir::Etc::SourceParts': '-',
		'Dir::State::Lists': lists,
		'Dir::Cache': cache,
		'APT::Sandbox::User': 'root',
	};
	const options = Object.entries(settings).map(([name, value]) => `-o${name}=${value}`);
	const limits = { cwd: FOLDER, timeout: TIME_LIMIT_MS };
	for (const command of [['update'], ['download', 'ntfy']])
		await execute('apt-get', ['-qq', ...options, ...command], limits);
	await execute('sh', ['-c', 'dpkg -x ntfy_*.deb root && rm -r lists cache ntfy_*.deb'], limits);
}

/** The program of Debian's package `ntfy`; undefined where it cannot be had, after the reason is printed. */
export async function debianNtfy(): Promise<string | undefined> {
	try {
		if (!existsSync(PROGRAM)) await unpack();
		return PROGRAM;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		console.warn(`Skipped: Debian's package ntfy cannot be had here. ${reason}`);
		return undefined;
	}
}
