import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces the text between `<!-- NAME:start -->` and `<!-- NAME:end -->` in a document.
 * @throws if the document has no such marks
 */
export function writeSection(file: string, name: string, text: string): void {
	const document = readFileSync(file, 'utf8');
	const [before, rest] = document.split(`<!-- ${name}:start -->`);
	const [, after] = rest?.split(`<!-- ${name}:end -->`) ?? [];
	if (before === undefined || after === undefined)
		throw new Error(
			`${file} has no section between <!-- ${name}:start --> and <!-- ${name}:end -->`,
		);
	writeFileSync(
		file,
		`${before}<!-- ${name}:start -->\n\n${text.trim()}\n\n<!-- ${name}:end -->${after}`,
	);
}
