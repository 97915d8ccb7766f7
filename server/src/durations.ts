export const MINUTE_MS = 60 * 1_000;
export const TEN_MINUTES_MS = 10 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** iOS ends a Live Activity after eight hours, and so does Beckon. */
export const ACTIVITY_LIFETIME_MS = 8 * HOUR_MS;

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
