/** What a system notification, or a Live Activity, has room for on every phone: characters as wide as Latin letters. */
const SHOWN = { title: 60, all: 120, lines: 3 };

/** East Asian characters, ligatures, Roman numerals and emoji, as wide as two Latin letters. */
const WIDE =
	/[\u01C4-\u01CC\u01F1-\u01F3\u0528-\u052F\u1100-\u11FF\u2160-\u2188\u2E80-\uA4CF\uA640-\uA69F\uA728-\uA787\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\u{1EE00}-\u{1EEFF}\p{Emoji_Presentation}]/u;

/** Letters about as wide as Latin ones, digits, and usual signs. */
const NARROW =
	/(?![\uFB50-\uFDFF])[\n\r -\xFF\u2010-\u2027\p{Nd}\p{Sc}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Inherited}]/u;

/** Letters of other languages: some of Burmese and Tamil are as wide as four. Signs may be wider, such as U+FDFD. */
const LETTER = /(?![\uFB50-\uFDFF\u{10000}-\u{10FFFF}])[\p{L}\p{M}]/u;

const columnsOf = (one: string) =>
	WIDE.test(one) ? 2 : NARROW.test(one) ? 1 : LETTER.test(one) ? 5 : 10;

const widthOf = (text: string) => Array.from(text, columnsOf).reduce((sum, one) => sum + one, 0);

/**
 * True if a notification that was not cut shows all of a question. Only then it offers the choices; otherwise it opens
 * the card: nobody should approve what they have not seen. Android has one line for the title.
 */
export function isShownWhole(title = '', ...others: Array<string | undefined>): boolean {
	const text = [title, ...others].filter((part) => part !== undefined && part !== '').join('\n');
	const lines = text.split(/\r\n|[\n-\r\u0085\u2028\u2029]/).length;
	return widthOf(title) <= SHOWN.title && widthOf(text) <= SHOWN.all && lines <= SHOWN.lines;
}

/**
 * Notification categories: iOS shows only buttons that the app has registered before. The id of a category follows
 * from the titles of its buttons, so that server and app derive the same one.
 */

/** The category of buttons that the app does not know: it opens the app. */
export const OTHER_CATEGORY = 'beckon-other';

/** The longest id, in UTF-16 units, that a phone can register. */
export const MAX_CATEGORY_ID = 128;

/**
 * The id of the category whose buttons have these titles, in their order: no other list has it, whose titles a phone would
 * then show.
 */
export function categoryOf(buttons: ReadonlyArray<{ title: string }>): string {
	const id = JSON.stringify(buttons.map(({ title }) => title));
	return id.length <= MAX_CATEGORY_ID ? id : OTHER_CATEGORY;
}
