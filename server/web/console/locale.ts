/** Numbers, dates and times in the browser's language and the form of its region. */

export function numberText(value: number): string {
	return value.toLocaleString();
}

export function dateTimeText(at: string | number): string {
	return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
