import {
	isBlocked,
	isComplete,
	isUnreadable,
	isWeb,
	MAX_URL_LENGTH,
} from '../../src/contract/schemes.ts';

/**
 * The server has checked every URL already. The page checks again before making a link, the one place
 * where a sender's text could turn into code.
 */

export interface SafeLink {
	href: string;
	/** A web page opens in a new tab; an app's scheme opens from this one. */
	isWeb: boolean;
}

/** The link to open for a tap, or undefined if the URL must not be followed. */
export function safeLink(url: string | undefined): SafeLink | undefined {
	if (url === undefined || url.length > MAX_URL_LENGTH) return undefined;
	if (/\s/.test(url) || isUnreadable(url) || isBlocked(url) || !isComplete(url)) return undefined;
	return { href: url, isWeb: isWeb(url) };
}

/** An image, audio or video URL the page may load: HTTPS, without a user name or password. */
export function safeMediaUrl(url: string | undefined): string | undefined {
	if (!safeLink(url) || url === undefined) return undefined;
	const parsed = new URL(url);
	const isPlain = parsed.protocol === 'https:' && parsed.username === '' && parsed.password === '';
	return isPlain ? url : undefined;
}
