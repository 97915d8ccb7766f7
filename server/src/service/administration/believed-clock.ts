/** Time a clock must run on after a jump before it is trusted again. */
const DOUBT_MS = 24 * 60 * 60 * 1_000;

/**
 * Returns a check for whether irreversible work may trust the clock. A clock set ahead makes everything
 * look old at once; this leaves a day to set it right.
 * @param now milliseconds since 1970, by the clock
 * @param elapsed milliseconds of a monotonic clock
 */
export function believedClock(now: () => number, elapsed: () => number): () => boolean {
	let offset = now() - elapsed();
	let doubtedUntil = -Infinity;
	return () => {
		const was = offset;
		offset = now() - elapsed();
		if (offset - was > DOUBT_MS) doubtedUntil = elapsed() + DOUBT_MS;
		if (was - offset > DOUBT_MS) doubtedUntil = -Infinity;
		return elapsed() >= doubtedUntil;
	};
}
