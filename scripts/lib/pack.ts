import path from 'node:path';

import { npm } from './npm.ts';

export const ROOT = path.join(import.meta.dirname, '../..');

/** The package that npm would publish. */
export interface Packed {
	/** The tarball's full path. */
	tarball: string;
	bytes: number;
	/** The paths of its files, relative to the package. */
	files: string[];
}

interface PackResult {
	filename: string;
	size: number;
	files: Array<{ path: string }>;
}

/** Packs a package as currently built, by default the node package, and puts the tarball into the folder. */
export async function pack(folder: string, source = ROOT): Promise<Packed> {
	const printed = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
		cwd: source,
		minutes: 2,
	});
	const [result] = JSON.parse(printed) as PackResult[];
	if (!result) throw new Error(`npm pack printed no result: ${printed}`);
	return {
		tarball: path.join(folder, result.filename),
		bytes: result.size,
		files: result.files.map((file) => file.path),
	};
}
