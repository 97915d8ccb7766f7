/**
 * Polls until `look` finds something other than undefined or false, at most for `limitMs`.
 * @throws with the name `what` if nothing was found
 */
export async function waitFor<T>(
	what: string,
	look: () => T | undefined | false | Promise<T | undefined | false>,
	limitMs = 10_000,
): Promise<T> {
	const deadline = Date.now() + limitMs;
	for (;;) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		if (Date.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

/** Awaits a promise that must settle within `limitMs`. */
export async function within<T>(what: string, promise: Promise<T>, limitMs = 10_000): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const timeUp = new Promise<never>((_resolve, reject) => {
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
