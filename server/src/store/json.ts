/** JSON for a `*_json` column; null and undefined are both stored as NULL. */
export function toJson(value: unknown): string | null {
	return value === undefined || value === null ? null : JSON.stringify(value);
}

/** The value of a `*_json` column that this program wrote as a `T`; undefined for NULL. */
export function fromJson<T>(column: string | null): T | undefined {
	return column === null ? undefined : (JSON.parse(column) as T);
}
