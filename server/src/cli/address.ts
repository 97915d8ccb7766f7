import { closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createPrivate } from '../store/engine/sqlite/files.ts';
import { errorCode } from '../store/errors.ts';

/**
 * The file that records where a data directory's running server listens, for the links other commands print.
 * Servers that share a database use BECKON_PUBLIC_URL instead.
 */
function addressFile(config: Config): string | undefined {
	return config.BECKON_DATABASE_URL === '' ? join(config.BECKON_DATA, 'address') : undefined;
}

/** @param url `http://host:port` the server listens on */
export function recordAddress(config: Config, url: string): void {
	const file = addressFile(config);
	if (file === undefined) return;
	forgetAddress(config);
	const created = createPrivate(file);
	writeFileSync(created, `${url}\n`);
	closeSync(created);
}

export function forgetAddress(config: Config): void {
	const file = addressFile(config);
	if (file !== undefined) rmSync(file, { force: true });
}

/** Undefined if no server runs on this data directory. */
export function recordedAddress(config: Config): string | undefined {
	const file = addressFile(config);
	if (file === undefined) return undefined;
	try {
		return readFileSync(file, 'utf8').trim();
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return undefined;
		throw error;
	}
}
