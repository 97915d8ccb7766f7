import { COLORS } from '../../src/contract/values.ts';

const known = new Set<string>(COLORS);

/** The class that sets --tint for a color of the contract. No color, or one from a newer server, becomes blue. */
export function tint(...choices: Array<string | undefined>): string {
	const color = choices.find((choice) => choice !== undefined) ?? 'blue';
	return `tint-${known.has(color) ? color : 'blue'}`;
}
