/** What a browser's name for itself contains, the most specific first: most of them name Chrome and Safari, too. */
const BROWSERS: ReadonlyArray<[name: string, mark: RegExp]> = [
	['Edge', /\bEdg(e|A|iOS)?\//],
	['Opera', /\bOPR\//],
	['Samsung Internet', /\bSamsungBrowser\//],
	['Firefox', /\b(Firefox|FxiOS)\//],
	['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
	['Safari', /\bSafari\//],
];

const SYSTEMS: ReadonlyArray<[name: string, mark: RegExp]> = [
	['Android', /Android/],
	['iPhone', /iPhone/],
	['iPad', /iPad/],
	['Mac', /Macintosh/],
	['Windows', /Windows/],
	['ChromeOS', /CrOS/],
	['Linux', /Linux/],
];

/** For example "Firefox on Windows". @param userAgent what the browser says it is */
export function browserName(userAgent: string): string {
	const find = (list: typeof BROWSERS) => list.find(([, mark]) => mark.test(userAgent))?.[0];
	const system = find(SYSTEMS);
	return `${find(BROWSERS) ?? 'Another program'}${system === undefined ? '' : ` on ${system}`}`;
}
