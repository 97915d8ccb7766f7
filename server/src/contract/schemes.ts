/** Rules for URLs, schema-free: the phone's page bundles this file. */

export const MAX_URL_LENGTH = 2048;

/** Schemes that a tap must never open: they run code, reach local files, or are Beckon's own. */
const BLOCKED_SCHEMES = new Set([
	'javascript',
	'data',
	'file',
	'blob',
	'about',
	'vbscript',
	'view-source',
	'intent',
	'content',
	'ms-msdt',
	'search-ms',
	'shell',
	'itms-services',
	'beckon',
]);

/** The scheme at the beginning of a URL. */
export const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;

/** A scheme whose URL may wrap another, which is the one opened: `feed:https://example.com/rss`. */
const WRAPPER = /^(?:feed:)+/i;

/** Control characters, line breaks, and characters that reverse the reading direction. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** An http(s) URL with a host; browsers would take one from the path of `https:///a`. */
const WEB_WITH_HOST = /^https?:\/\/[^/?#\\]/i;

/** The lower-case scheme of a URL, or undefined if there is none. */
export function readScheme(url: string): string | undefined {
	return SCHEME.exec(url)?.[1]?.toLowerCase();
}

/** True if a tap must never open the URL, because of its scheme or that of a wrapped URL. */
export function isBlocked(url: string): boolean {
	return BLOCKED_SCHEMES.has(readScheme(url.replace(WRAPPER, '')) ?? '');
}

export function isUnreadable(url: string): boolean {
	return UNREADABLE.test(url);
}

export function isWeb(url: string): boolean {
	return ['http', 'https'].includes(readScheme(url) ?? '');
}

/** True if the URL can be opened: well-formed, and with a host if its scheme needs one. */
export function isComplete(url: string): boolean {
	return URL.canParse(url) && (!isWeb(url) || WEB_WITH_HOST.test(url));
}
