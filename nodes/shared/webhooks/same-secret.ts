/**
 * Returns whether two secrets are the same. The time it takes depends only on the length of the
 * received one, not on how much of it is right, as far as the language can guarantee that.
 */
export function isSameSecret(expected: string, received: string): boolean {
	let difference = expected.length ^ received.length;
	for (let index = 0; index < received.length; index += 1) {
		const own = expected.charCodeAt(expected.length === 0 ? 0 : index % expected.length);
		difference |= own ^ received.charCodeAt(index);
	}
	return difference === 0 && expected !== '';
}
