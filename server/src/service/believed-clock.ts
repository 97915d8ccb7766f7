/** How long a clock that was set has to run on before what it says is acted upon. */
const DOUBT_MS = 24 * 60 * 60 * 1_000;

/**
 * Tells whether the clock may be believed by what cannot be undone. A clock that was set ahead would
 * make everything old at once; within a day somebody can set it right.
 * @param now milliseconds since 1970, as the clock says
 * @param elapsed milliseconds that have passed since whenever, which nobody can set
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
