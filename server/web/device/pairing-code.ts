export const CODE_LENGTH = 8;

const CODE = /^[0-9A-Z]{8}$/;

/** A pairing code as typed or in a link: in upper or lower case, with spaces or dashes. Undefined if it is not one. */
export function readCode(typed: string): string | undefined {
	const code = typed.replaceAll(/[\s-]/g, '').toUpperCase();
	return CODE.test(code) ? code : undefined;
}
