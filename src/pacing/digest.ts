/** FNV-1a, 32 bits, from a chosen starting value. */
function hash(text: string, start: number): number {
	let value = start;
	for (let index = 0; index < text.length; index += 1) {
		value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	}
	return value >>> 0;
}

/**
 * A short text in place of a key, so a list of facts about keys holds none of them. Two keys with the
 * same digest would share their pacing, which does no harm.
 */
export function digestKey(key: string): string {
	return `${hash(key, 0x811c9dc5).toString(36)}${hash(key, 0x1b873593).toString(36)}`;
}
