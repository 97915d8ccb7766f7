/** The page's colors in light and dark, for text and shapes on iOS's own materials. */
const COLORS: Record<string, readonly [light: string, dark: string]> = {
	lime: ['#5E8C00', '#B4E51D'],
	green: ['#1E8A3C', '#32D74B'],
	cyan: ['#007C99', '#64D2FF'],
	blue: ['#0066D6', '#0A84FF'],
	purple: ['#7A3FF2', '#BF8CFF'],
	magenta: ['#C2188B', '#FF5FC4'],
	red: ['#D70015', '#FF453A'],
	orange: ['#B35900', '#FF9F0A'],
	yellow: ['#8A6A00', '#FFD60A'],
	gray: ['#6E6E73', '#98989D'],
};

/** A color of the contract as hex. No color, or one from a newer server, becomes blue. */
export function colorOf(scheme: 'light' | 'dark', ...choices: Array<string | undefined>): string {
	const name = choices.find((choice) => choice !== undefined) ?? 'blue';
	const [light, dark] = COLORS[name] ?? COLORS['blue']!;
	return scheme === 'dark' ? dark : light;
}
