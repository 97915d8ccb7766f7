const COLORS = new Set([
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
]);

/** The class that sets --tint for one of the contract's colors; a color of a newer server is blue. */
export function tint(...choices: Array<string | undefined>): string {
	const color = choices.find((choice) => choice !== undefined) ?? 'blue';
	return `tint-${COLORS.has(color) ? color : 'blue'}`;
}
