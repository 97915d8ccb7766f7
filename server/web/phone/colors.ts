import { COLORS } from '../../src/contract/values.ts';

const known = new Set<string>(COLORS);

/** The class that sets --tint for a color of the contract. No color, or one that only a newer server knows, is blue. */
export function tint(...choices: Array<string | undefined>): string {
	const color = choices.find((choice) => choice !== undefined) ?? 'blue';
	return `tint-${known.has(color) ? color : 'blue'}`;
}
