import { DAY_MS } from '../../durations.ts';
import { rememberedTime, rememberTime } from '../../store/server-keys.ts';
import type { Context } from '../context.ts';

/** Time a clock must run on after a jump before it is trusted again. */
const DOUBT_MS = DAY_MS;

/**
 * Returns a check for whether irreversible work may trust the clock. A clock set ahead makes everything
 * look old at once; this leaves a day to set it right.
 * @param now milliseconds since 1970, by the clock
 * @param elapsed milliseconds of a monotonic clock
 * @param known the last time that was trusted
 */
export function believedClock(
	now: () => number,
	elapsed: () => number,
	known = now(),
): () => boolean {
	let offset = known - elapsed();
	let doubtedUntil = -Infinity;
	return () => {
		const was = offset;
		offset = now() - elapsed();
		if (offset - was > DOUBT_MS) doubtedUntil = elapsed() + DOUBT_MS;
		if (was - offset > DOUBT_MS) doubtedUntil = -Infinity;
		return elapsed() >= doubtedUntil;
	};
}

/**
 * Such a check that keeps the last trusted time in the store, as a clock may be set while no server runs. After
 * more than a day without one, it waits for a day too: nothing is lost by that.
 */
export function rememberedClock({
	database,
	now,
	elapsed,
}: Pick<Context, 'database' | 'now' | 'elapsed'>): () => Promise<boolean> {
	let isBelieved: (() => boolean) | undefined;
	return async () => {
		isBelieved ??= believedClock(now, elapsed, await rememberedTime(database.read));
		const isTrusted = isBelieved();
		if (isTrusted) await database.write(null, (db) => rememberTime(db, now()));
		return isTrusted;
	};
}
