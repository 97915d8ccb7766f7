/**
 * Splits the text of a list field into entries: separated by commas or lines, or given as an array by
 * an expression, or as the text of a JSON array.
 * @param value the resolved parameter
 * @returns the entries, trimmed and without empty ones; undefined only if nothing was given. A list
 *   that turns out empty, such as `[]` or `,`, gives an empty array: for channels, that is the
 *   difference between no phone and every phone.
 */
export function readList(value: unknown): string[] | undefined {
	if (isMissing(value) || (typeof value === 'string' && value.trim() === '')) return undefined;
	const entries: unknown[] = Array.isArray(value) ? value : splitText(toText(value));
	return entries
		.filter((entry) => !isMissing(entry))
		.map((entry) => toText(entry).trim())
		.filter((entry) => entry !== '');
}

function isMissing(value: unknown): value is undefined | null {
	return value === undefined || value === null;
}

function toText(value: unknown): string {
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function splitText(text: string): unknown[] {
	const trimmed = text.trim();
	if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
		try {
			return JSON.parse(trimmed) as unknown[];
		} catch {
			// A list in brackets that is not JSON is still a list.
			return trimmed.slice(1, -1).split(/[,\n]/);
		}
	}
	return trimmed.split(/[,\n]/);
}
