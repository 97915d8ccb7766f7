/** Characters that nobody sees, or that change how their neighbors look: controls, text directions, other blanks. */
export const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The UTF-16 units of a text as a string of JavaScript or JSON can have them: `\u202e`. */
export const escaped = (text: string) =>
	text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
