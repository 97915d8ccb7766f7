import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../src/config.ts';

/** The documentation page; its table of settings is generated here. */
export const DOCS = join(import.meta.dirname, '../../docs/operations.md');

const BEGIN = '<!-- settings: written by server/scripts/write-settings-docs.ts -->';
const END = '<!-- end of settings -->';

function cell(text: string): string {
	return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** One row for each setting of src/config.ts. */
function settingsTable(): string {
	const rows = Object.entries(SETTINGS).map(
		([name, { fallback, help }]) =>
			`| \`${name}\` | ${fallback === '' ? 'empty' : `\`${cell(fallback)}\``} | ${cell(help)} |`,
	);
	return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** @returns the page with the current table between its markers */
export function withSettings(page: string): string {
	const [before, rest] = page.split(BEGIN);
	const after = rest?.split(END)[1];
	if (before === undefined || after === undefined) {
		throw new Error(`docs/operations.md lacks the lines ${BEGIN} and ${END}`);
	}
	return `${before}${BEGIN}\n\n${settingsTable()}\n\n${END}${after}`;
}

if (import.meta.main) writeFileSync(DOCS, withSettings(readFileSync(DOCS, 'utf8')));
