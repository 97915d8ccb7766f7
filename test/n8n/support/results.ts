import { mkdirSync } from 'node:fs';
import path from 'node:path';

import type { Line } from './lines.ts';

const RESULTS = path.join(import.meta.dirname, '../results');

/** The folder for a test run's pictures and logs, for people. */
export function resultsFolder(line?: Line): string {
	const folder = line ? path.join(RESULTS, path.basename(line.folder)) : RESULTS;
	mkdirSync(folder, { recursive: true });
	return folder;
}

export const logFileOf = (line: Line) => path.join(resultsFolder(line), 'n8n.log');
