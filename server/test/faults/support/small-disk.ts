import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate disk that a test can fill. */
export interface SmallDisk {
	path: string;
	/** Leaves room for nothing. */
	fill(): void;
	/** Takes back what fills it. */
	empty(): void;
	remove(): void;
}

/** Mounts a disk in memory. @returns a reason in words if this machine does not allow it */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
	const path = mkdtempSync(join(tmpdir(), 'beckon-disk-'));
	const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'beckon-test', path];
	const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
	if (status !== 0) {
		rmSync(path, { recursive: true });
		return error?.message ?? stderr.trim();
	}
	return {
		path,
		fill() {
			// Ends when nothing more fits.
			spawnSync('dd', ['if=/dev/zero', `of=${join(path, 'filling')}`, 'bs=4096']);
		},
		empty: () => rmSync(join(path, 'filling')),
		remove() {
			spawnSync('umount', ['--lazy', path]);
			rmSync(path, { recursive: true });
		},
	};
}
