const BROWSERS: ReadonlyArray<[RegExp, string]> = [
	[/\bEdg(e|A|iOS)?\//, 'Edge'],
	[/\bOPR\//, 'Opera'],
	[/\bSamsungBrowser\//, 'Samsung Internet'],
	[/\b(Firefox|FxiOS)\//, 'Firefox'],
	[/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
	[/\bSafari\//, 'Safari'],
];

const SYSTEMS: ReadonlyArray<[RegExp, string]> = [
	[/iPhone/, 'iPhone'],
	[/iPad/, 'iPad'],
	[/Android/, 'Android'],
	[/CrOS/, 'ChromeOS'],
	[/Windows/, 'Windows'],
	[/Mac OS X|Macintosh/, 'Mac'],
	[/Linux/, 'Linux'],
];

/** Suggests a recognizable device name, such as "Chrome on Linux". */
export function suggestedName(userAgent: string): string {
	const find = (table: ReadonlyArray<[RegExp, string]>) =>
		table.find(([pattern]) => pattern.test(userAgent))?.[1];
	const browser = find(BROWSERS) ?? 'Browser';
	const system = find(SYSTEMS);
	return system === undefined ? browser : `${browser} on ${system}`;
}
