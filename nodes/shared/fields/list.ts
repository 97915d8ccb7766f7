/**
 * Splits the text of a list field into entries: separated by commas or lines, or given as an array by
 * an expression, or as the text of a JSON array.
 * @param value the resolved parameter
 * @returns the entries, trimmed and without empty ones; undefined only if nothing was given. A list
 *   that turns out empty, such as `[]` or `,`, gives an empty array: for channels, that is the
 *   difference between no phone and every phone.
 */
export function readList(value: unknown): string[] | undefined {
	if (Array.isArray(value)) return toEntries(value);
	const [text] = toEntries([value]);
	return text === undefined ? undefined : toEntries(splitText(text));
}

function toEntries(values: unknown[]): string[] {
	return values
		.filter((value) => value !== undefined && value !== null)
		.map(toText)
		.filter((entry) => entry !== '');
}

function toText(value: unknown): string {
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value).trim();
}

function splitText(text: string): unknown[] {
	if (!text.startsWith('[') || !text.endsWith(']')) return text.split(/[,\n]/);
	try {
		return JSON.parse(text) as unknown[];
	} catch {
		// A list in brackets that is not JSON is still a list.
		return text.slice(1, -1).split(/[,\n]/);
	}
}
