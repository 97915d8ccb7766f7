import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from './root.ts';

/**
 * Writes what a benchmark has measured to `server/bench/results/NAME.md`, in place of its last run.
 * @param text Markdown, with a title
 */
export function writeResult(name: string, text: string): void {
	writeFileSync(path.join(ROOT, 'server/bench/results', `${name}.md`), `${text.trim()}\n`);
}
