import { safeLink } from './safe-url.ts';

/** A piece of a text, exactly as it was sent. */
export interface TextPart {
	text: string;
	/** The link that a tap opens: a web page, a mail or a call. */
	href?: string;
	/** True for a code, which a tap copies. */
	isCode?: true;
}

type Kind = 'web' | 'mail' | 'phone' | 'code';

/** A match counts only after one of these: a part of a longer word or number is something else. */
const BEFORE = String.raw`(?<before>^|[^\w.,:/@+-])`;

const PATTERNS: Record<Kind, string> = {
	web: String.raw`https?:\/\/[^\s<>"]+`,
	mail: String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
	// With a country code, an area code, or as 555-123-4567. Dates and prices have none of them.
	phone: String.raw`\+\d[\d ()/.-]{5,18}\d|(?<!\d )\(?0\d{2,4}\)?[ /-]\d{3,}(?:[ -]\d{2,})*|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}`,
	code: String.raw`\d{4,8}|[A-Z0-9]{4,}(?:-[A-Z0-9]{4,})+|[A-Z0-9]{5,12}`,
};

const ANY = new RegExp(
	`${BEFORE}(?:${Object.entries(PATTERNS)
		.map(([kind, pattern]) => `(?<${kind}>${pattern})`)
		.join('|')})(?![\\w@]|[.,:/-]\\d)`,
	'g',
);

/** Up to five digits may be a year or an amount, unless the text says that it has a code. */
const SAYS_CODE = /code|pin\b|otp|passw/i;
const SHORT = 5;

/** The web pages, mail addresses, phone numbers and codes in a text, and what is between them. */
export function textParts(text: string): TextPart[] {
	const parts: TextPart[] = [];
	let end = 0;
	for (const { index, groups = {} } of text.matchAll(ANY)) {
		const { before = '', ...kinds } = groups;
		const [kind, found = ''] = Object.entries(kinds).find(([, match]) => match !== undefined) ?? [];
		const part = toPart(kind as Kind, found, text);
		if (part === undefined) continue;
		const start = index + before.length;
		if (start > end) parts.push({ text: text.slice(end, start) });
		parts.push(part);
		end = start + part.text.length;
	}
	if (end < text.length) parts.push({ text: text.slice(end) });
	return parts;
}

function toPart(kind: Kind, found: string, all: string): TextPart | undefined {
	if (kind === 'mail') return { text: found, href: `mailto:${found}` };
	if (kind === 'phone') return { text: found, href: `tel:${found.replaceAll(/[^\d+]/g, '')}` };
	if (kind === 'code') return isCode(found, all) ? { text: found, isCode: true } : undefined;
	const text = withoutPunctuation(found);
	return safeLink(text) && { text, href: text };
}

function isCode(found: string, all: string): boolean {
	if (/^\d+$/.test(found)) return found.length > SHORT || SAYS_CODE.test(all);
	return /\d.*\d/.test(found) && /[A-Z]/.test(found);
}

/** A sentence may end with an address, and parentheses may enclose it. */
function withoutPunctuation(url: string): string {
	const after = `.,;:!?'’”*_~]}${url.includes('(') ? '' : ')'}`;
	let { length } = url;
	while (after.includes(url.charAt(length - 1))) length -= 1;
	return url.slice(0, length);
}
