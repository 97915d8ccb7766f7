import { COLORS } from '../../src/contract/colors.ts';

const known = new Set<string>(COLORS);

/** The class that sets --tint for one of the contract's colors; a color of a newer server is blue. */
export function tint(...choices: Array<string | undefined>): string {
	const color = choices.find((choice) => choice !== undefined) ?? 'blue';
	return `tint-${known.has(color) ? color : 'blue'}`;
}
