/**
 * Only ends what hangs, on however slow a machine. Shorter than the limit of a test (scripts/jest/common.mjs), which could
 * not name what is missing.
 */
export const HANGS_MS = 240_000;

/**
 * Polls until `look` finds something other than undefined or false.
 * @param otherwiseMs after which it would be found anyway: what makes it happen sooner must take at most half of that
 * @throws with the name `what` if nothing was found
 */
export async function waitFor<T>(
	what: string,
	look: () => T | undefined | false | Promise<T | undefined | false>,
	otherwiseMs = 2 * HANGS_MS,
): Promise<T> {
	const deadline = Date.now() + otherwiseMs / 2;
	for (;;) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		if (Date.now() > deadline) throw new Error(`Waited ${otherwiseMs / 2} ms in vain for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

/**
 * Awaits a promise that must settle.
 * @param otherwiseMs after which it would settle anyway: what makes it settle sooner must take at most half of that
 * @throws with the name `what` if it did not
 */
export async function within<T>(
	what: string,
	promise: Promise<T>,
	otherwiseMs = 2 * HANGS_MS,
): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const timeUp = new Promise<never>((_resolve, reject) => {
		const limitMs = otherwiseMs / 2;
		timer = setTimeout(
			() => reject(new Error(`Waited ${limitMs} ms in vain for ${what}`)),
			limitMs,
		);
	});
	try {
		return await Promise.race([promise, timeUp]);
	} finally {
		clearTimeout(timer);
	}
}
