/** What a system notification, or a Live Activity, has room for on every phone. */
const SHOWN_WHOLE = { characters: 120, lines: 3 };

/**
 * True if a notification that was not cut shows all of a question. Only then it offers the choices; otherwise it opens
 * the card: nobody should approve what they have not seen.
 */
export function isShownWhole(...texts: Array<string | undefined>): boolean {
	const text = texts.filter((part) => part !== undefined && part !== '').join('\n');
	const { characters, lines } = SHOWN_WHOLE;
	return (
		Array.from(text).length <= characters &&
		text.split(/\r\n|[\n-\r\u0085\u2028\u2029]/).length <= lines
	);
}

/**
 * Notification categories: iOS shows only buttons that the app has registered before. The id of a category follows
 * from the titles of its buttons, so that server and app derive the same one.
 */

/** The category of buttons that the app does not know: it opens the app. */
export const OTHER_CATEGORY = 'beckon-other';

/** FNV-1a, 32 bits. */
function hash(text: string): number {
	let value = 0x81_1c_9d_c5;
	for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01_00_01_93);
	return value >>> 0;
}

/** The id of the category whose buttons have these titles, in their order. */
export function categoryOf(buttons: ReadonlyArray<{ title: string }>): string {
	const titles = JSON.stringify(buttons.map(({ title }) => title));
	return `beckon-${[titles, `${titles}#`].map((text) => hash(text).toString(36)).join('-')}`;
}
