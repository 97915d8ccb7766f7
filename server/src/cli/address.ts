import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the running server of a data directory listens, for the links that other commands print. */
const fileIn = (data: string) => join(data, 'address');

/** @param url `http://host:port` that the server listens on */
export function recordAddress(data: string, url: string): void {
	writeFileSync(fileIn(data), `${url}\n`);
}

export function forgetAddress(data: string): void {
	rmSync(fileIn(data), { force: true });
}

/** Undefined when no server runs on this data directory. */
export function recordedAddress(data: string): string | undefined {
	try {
		return readFileSync(fileIn(data), 'utf8').trim();
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
		throw error;
	}
}
