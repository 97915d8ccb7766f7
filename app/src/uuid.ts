/** FNV-1a, 32 bits, as eight hexadecimal digits. */
function hash(text: string): string {
	let value = 0x81_1c_9d_c5;
	for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01_00_01_93);
	return (value >>> 0).toString(16).padStart(8, '0');
}

/** The UUID (version 8) of a text. It need not be secret: Hermes has no `crypto`. */
export function uuidOf(text: string): string {
	const digits = [0, 1, 2, 3].map((part) => hash(`${part} ${text}`)).join('');
	return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-9$4-$5');
}

/** A new UUID. */
export const uuid = () => uuidOf(`${Date.now()} ${Math.random()}`);
