/** A path below the base URL, each segment encoded. */
export function pathOf(...segments: Array<string | undefined>): string {
	return segments.map((segment) => `/${encodeURIComponent(segment ?? '')}`).join('');
}
