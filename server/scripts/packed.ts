import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Packed {
	tarball: string;
	/** Size of the tarball. */
	bytes: number;
}

/** Packs the server as published. @param directory receives the tarball */
export function pack(directory: string): Packed {
	const output = npm(
		join(import.meta.dirname, '..'),
		...['pack', '--json', '--pack-destination', directory],
	);
	const [packed] = Object.values(JSON.parse(output) as Record<string, unknown>);
	const { filename, size } = packed as { filename: string; size: number };
	return { tarball: join(directory, filename), bytes: size };
}

/** Installs a packed server into an empty folder, as users do. @returns `node_modules` */
export function install(tarball: string, directory: string): string {
	mkdirSync(directory, { recursive: true });
	writeFileSync(join(directory, 'package.json'), '{"private":true}');
	npm(directory, 'install', '--omit=dev', '--no-audit', '--no-fund', tarball);
	return join(directory, 'node_modules');
}

function npm(cwd: string, ...args: string[]): string {
	return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
