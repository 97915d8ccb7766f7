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
	'beckon',
]);

/** How a URL with a scheme begins. */
export const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;

/** The scheme of a URL in lower case, or undefined where there is none. */
export function schemeOf(url: string): string | undefined {
	return SCHEME.exec(url)?.[1]?.toLowerCase();
}

export function isBlockedScheme(scheme: string): boolean {
	return BLOCKED_SCHEMES.has(scheme);
}
