/**
 * Waits for a promise, at most `ms` milliseconds.
 * @returns whether it was fulfilled in time
 * @throws its error, if it was rejected in time
 */
export async function isDoneWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const timeUp = new Promise<false>((resolve) => {
		timer = setTimeout(resolve, ms, false);
	});
	try {
		return await Promise.race([promise.then(() => true), timeUp]);
	} finally {
		clearTimeout(timer);
	}
}
