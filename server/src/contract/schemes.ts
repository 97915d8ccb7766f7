/** What a URL may be, without a schema: the phone's page bundles it. */

export const MAX_URL_LENGTH = 2048;

/** Schemes a tap must never open: they run code, reach local files, or are Beckon's own. */
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

/** How a URL with a scheme begins. */
export const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;

/** A scheme whose URL may hold another, which is what opens: `feed:https://example.com/rss`. */
const WRAPPER = /^(?:feed:)+/i;

/** Control characters, line ends, and characters that turn the direction in which a URL is read. */
const UNREADABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** An http(s) URL that names its host; browsers would take one from the path of `https:///a`. */
const WEB_WITH_HOST = /^https?:\/\/[^/?#\\]/i;

/** The scheme of a URL in lower case, or undefined where there is none. */
export function schemeOf(url: string): string | undefined {
	return SCHEME.exec(url)?.[1]?.toLowerCase();
}

/** Whether a tap must never open it, for its scheme or for that of the URL within. */
export function isBlocked(url: string): boolean {
	return BLOCKED_SCHEMES.has(schemeOf(url.replace(WRAPPER, '')) ?? '');
}

export function isUnreadable(url: string): boolean {
	return UNREADABLE.test(url);
}

export function isWeb(url: string): boolean {
	return ['http', 'https'].includes(schemeOf(url) ?? '');
}

/** Whether it can be opened: well-formed, and with a host where its scheme needs one. */
export function isComplete(url: string): boolean {
	return URL.canParse(url) && (!isWeb(url) || WEB_WITH_HOST.test(url));
}
