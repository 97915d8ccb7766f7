/**
 * The entries of what people type into a list field: separated by commas or lines, or given as an
 * array by an expression, or as the text of a JSON array.
 * @param value the resolved parameter
 * @returns the entries, trimmed and without empty ones; undefined where nothing was given
 */
export function listOf(value: unknown): string[] | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const entries = (Array.isArray(value) ? value : splitText(textOf(value)))
		.map((entry) => textOf(entry).trim())
		.filter((entry) => entry !== '');
	return Array.isArray(value) || entries.length > 0 ? entries : undefined;
}

function textOf(value: unknown): string {
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function splitText(text: string): unknown[] {
	const trimmed = text.trim();
	if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
		try {
			return JSON.parse(trimmed) as unknown[];
		} catch {
			// A list in brackets that is no JSON is still a list.
			return trimmed.slice(1, -1).split(/[,\n]/);
		}
	}
	return trimmed.split(/[,\n]/);
}
