const ENDS_A_SENTENCE = /[.!?…:;]$/;

/** Texts as one, for a screen reader: each but the last ends like a sentence. Empty ones are left out. */
export function toSentences(texts: ReadonlyArray<string | undefined>): string {
	const given = texts.flatMap((text) => text?.trim() || []);
	return given
		.map((text, at) => (at === given.length - 1 || ENDS_A_SENTENCE.test(text) ? text : `${text}.`))
		.join(' ');
}
