export type Row = readonly string[];

/** A Markdown table; the first column is text, the others are figures. */
export function table(header: Row, rows: readonly Row[]): string {
	const line = (cells: Row) => `| ${cells.join(' | ')} |`;
	const rule = header.map((_, column) => (column === 0 ? '---' : '---:'));
	return [line(header), line(rule), ...rows.map(line)].join('\n');
}

export function whole(value: number): string {
	return Math.round(value).toLocaleString('en');
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(1) : whole(value)} ms`;

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The verdict on an aim, in words. */
export function verdict(isMet: boolean): string {
	return isMet ? 'met' : '**missed**';
}
