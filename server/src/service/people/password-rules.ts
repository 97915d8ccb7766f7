import { invalidField } from '../refusal.ts';

/** Characters that must remain once everything obvious is removed from a password. */
const MIN_LEFT = 8;

/** Shorter parts of a name or an address are too common in other words to count as obvious. */
const MIN_PART = 4;

/** The top of the lists of leaked passwords. Runs such as 12345 are detected separately. */
const COMMON_WORDS = `
	administrator password passwort passw0rd p@ssw0rd p@ssword iloveyou trustno1 superman football
	baseball princess sunshine whatever changeme letmein welcome default michael charlie freedom
	starwars qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm yxcvbnm 1q2w3e4r5t 1qaz2wsx qwerty
	qwertz azerty asdfgh 1q2w3e4r abc123 dragon monkey master shadow secret batman hello login admin
	guest root test user n8n beckon
`
	.trim()
	.split(/\s+/)
	.sort((a, b) => b.length - a.length);

function normalized(text: string): string {
	return text.normalize('NFKC').toLowerCase();
}

/** The words of a name or an email address, which someone who knows the person would try first. */
function splitIntoParts(text: string): string[] {
	const whole = normalized(text);
	return [whole, ...whole.split(/[^\p{L}\p{N}]+/u)].filter(({ length }) => length >= MIN_PART);
}

/**
 * Counts characters, except those that repeat the previous one or are next to it in the alphabet: `aaaa`
 * and `1234` count as one.
 */
function withoutRuns(text: string): number {
	const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
	return codes.filter((code, index) => {
		const before = codes[index - 1];
		return before === undefined || Math.abs(code - before) > 1;
	}).length;
}

function isObvious(password: string, related: readonly string[]): boolean {
	const words = [
		...related.flatMap(splitIntoParts).sort((a, b) => b.length - a.length),
		...COMMON_WORDS,
	];
	const rest = words.reduce((text, word) => text.replaceAll(word, ''), normalized(password));
	const once = rest.replaceAll(/\s+/g, '').replaceAll(/(.+?)\1+/gu, '$1');
	return withoutRuns(once) < MIN_LEFT;
}

/**
 * Rejects an easily guessed password: little more than repeated or consecutive characters, common
 * passwords, the product's name or its owner's names. The contract checks the length.
 * @param related the owner's email address and names
 * @throws Refusal `invalid`
 */
export function requireUncommonPassword(password: string, related: readonly string[]): void {
	if (!isObvious(password, related)) return;
	throw invalidField(
		'password',
		'is too easy to guess: use several unrelated words, and avoid your name, your email address and sequences like 12345',
	);
}
