import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { npm } from './npm.ts';
import { stageNodePackage } from './stage.ts';

/** A package as npm would publish it. */
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

/** Packs the package in `source` as currently built, and puts the tarball into the folder. */
export async function pack(folder: string, source: string): Promise<Packed> {
	const printed = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
		cwd: source,
		minutes: 2,
	});
	const [result] = Object.values(JSON.parse(printed) as Record<string, PackResult>);
	if (!result) throw new Error(`npm pack printed no result: ${printed}`);
	return {
		tarball: path.join(folder, result.filename),
		bytes: result.size,
		files: result.files.map((file) => file.path),
	};
}

/** Packs the node package as currently built, from a staging folder, and puts the tarball into the folder. */
export async function packNode(folder: string): Promise<Packed> {
	const staging = mkdtempSync(path.join(tmpdir(), 'beckon-pack-'));
	try {
		stageNodePackage(staging);
		return await pack(folder, staging);
	} finally {
		rmSync(staging, { recursive: true });
	}
}
