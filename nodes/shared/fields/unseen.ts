/**
 * Characters that nobody sees, or that change how their neighbors look: controls, text directions, other blanks,
 * combining marks without a letter or stacked on others.
 */
export const UNSEEN =
	/^\p{M}|(?<=\p{M}{2})\p{M}|\u2D7F|\u{1107F}|\u{16FE4}|(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}\u{13441}\u{13442}]/gmu;

/** The UTF-16 units of a text as a string of JavaScript or JSON can have them: `\u202e`. */
export const escaped = (text: string) =>
	text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
