/** Copies a text. @returns false if the browser does not allow it */
export async function copyText(text: string): Promise<boolean> {
	try {
		// Browsers offer it over HTTPS only.
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copyBySelection(text);
	}
}

function copyBySelection(text: string): boolean {
	const field = document.createElement('textarea');
	field.value = text;
	field.className = 'visually-hidden';
	const before = document.activeElement;
	document.body.append(field);
	field.select();
	// eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else works over HTTP
	const isCopied = document.execCommand('copy');
	field.remove();
	if (before instanceof HTMLElement) before.focus({ preventScroll: true });
	return isCopied;
}
