/** What a browser's user agent contains, the most specific first: most also name Chrome and Safari. */
const BROWSERS: ReadonlyArray<[name: string, mark: RegExp]> = [
	['Edge', /\bEdg(e|A|iOS)?\//],
	['Opera', /\bOPR\//],
	['Samsung Internet', /\bSamsungBrowser\//],
	['Firefox', /\b(Firefox|FxiOS)\//],
	['Chrome', /\b(Chrome|CriOS|Chromium|HeadlessChrome)\//],
	['Safari', /\bSafari\//],
];

/** An iPhone also names the Mac, and Android also names Linux. */
const SYSTEMS: ReadonlyArray<[name: string, mark: RegExp]> = [
	['iPhone', /iPhone/],
	['iPad', /iPad/],
	['Android', /Android/],
	['ChromeOS', /CrOS/],
	['Windows', /Windows/],
	['Mac', /Mac OS X|Macintosh/],
	['Linux', /Linux/],
];

/**
 * For example "Firefox on Windows".
 * @param userAgent what the browser says it is
 * @param unknown the name of any other program
 */
export function browserName(userAgent: string, unknown = 'Browser'): string {
	const find = (list: typeof BROWSERS) => list.find(([, mark]) => mark.test(userAgent))?.[0];
	const system = find(SYSTEMS);
	return `${find(BROWSERS) ?? unknown}${system === undefined ? '' : ` on ${system}`}`;
}
