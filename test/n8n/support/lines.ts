import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One of the lines of n8n in use, in a folder that pins and contains it. */
export interface Line {
	name: string;
	folder: string;
	version: string;
}

function line(folderName: string): Line {
	const folder = path.join(import.meta.dirname, '..', folderName);
	const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	const version = manifest.dependencies.n8n;
	return { name: `n8n ${version}`, folder, version };
}

export const LINE_1 = line('line-1');

export const LINE_2 = line('line-2');

export const LINES = [LINE_1, LINE_2];
