import { mkdirSync } from 'node:fs';
import path from 'node:path';

import type { Line } from './lines.ts';

const RESULTS = path.join(import.meta.dirname, '../results');

/** Where a test run leaves its pictures and logs, for people. */
export function resultsFolder(line?: Line): string {
	const folder = line ? path.join(RESULTS, path.basename(line.folder)) : RESULTS;
	mkdirSync(folder, { recursive: true });
	return folder;
}

export const logFileOf = (line: Line) => path.join(resultsFolder(line), 'n8n.log');
