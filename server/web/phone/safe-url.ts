import { isBlockedScheme, MAX_URL_LENGTH, schemeOf } from '../../src/contract/schemes.ts';

/**
 * The server has checked every URL already. The page checks again before one becomes a link,
 * because a link is the one place where what a sender wrote could turn into code.
 */

/** Browsers drop tabs and line breaks from a URL, so `java\nscript:` would become a scheme. */
const CONTROL_OR_SPACE = /[\u0000-\u0020\u007f]/;

export interface SafeLink {
	href: string;
	/** A web page opens in a new tab; an app's scheme is handed over from this one. */
	isWeb: boolean;
}

/** The link a tap may open, or undefined where the URL must not be followed. */
export function safeLink(url: string | undefined): SafeLink | undefined {
	if (url === undefined || url.length > MAX_URL_LENGTH || CONTROL_OR_SPACE.test(url))
		return undefined;
	const scheme = schemeOf(url);
	if (scheme === undefined || isBlockedScheme(scheme) || !URL.canParse(url)) return undefined;
	return { href: url, isWeb: scheme === 'http' || scheme === 'https' };
}

/** An image, audio or video the page may load: HTTPS, without a user name or password. */
export function safeMediaUrl(url: string | undefined): string | undefined {
	if (!safeLink(url) || url === undefined) return undefined;
	const parsed = new URL(url);
	const isPlain = parsed.protocol === 'https:' && parsed.username === '' && parsed.password === '';
	return isPlain ? url : undefined;
}
