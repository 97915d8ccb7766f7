import { DAY_MS } from '../../durations.ts';
import { rememberedTime, rememberTime } from '../../store/server-keys.ts';
import type { Context } from '../context.ts';

/** Time that a clock must run after a jump before it is trusted again. */
const DISTRUST_MS = DAY_MS;

/**
 * Returns a check for whether irreversible work can trust the clock. A clock set ahead makes everything
 * look old at once; this leaves a day to correct it.
 * @param now milliseconds since 1970, by the clock
 * @param elapsed milliseconds of a monotonic clock
 * @param known the last trusted time
 */
export function clockGuard(now: () => number, elapsed: () => number, known = now()): () => boolean {
	let offset = known - elapsed();
	let distrustedUntil = -Infinity;
	return () => {
		const was = offset;
		offset = now() - elapsed();
		if (offset - was > DISTRUST_MS) distrustedUntil = elapsed() + DISTRUST_MS;
		if (was - offset > DISTRUST_MS) distrustedUntil = -Infinity;
		return elapsed() >= distrustedUntil;
	};
}

/**
 * Such a check that keeps the last trusted time in the store, as a clock can be set while no server runs. After
 * more than a day without one, it also waits for a day: this loses nothing.
 */
export function rememberedClockGuard({
	database,
	now,
	elapsed,
}: Pick<Context, 'database' | 'now' | 'elapsed'>): () => Promise<boolean> {
	let guard: (() => boolean) | undefined;
	return async () => {
		guard ??= clockGuard(now, elapsed, await rememberedTime(database.read));
		const isTrusted = guard();
		if (isTrusted) await database.write(null, (db) => rememberTime(db, now()));
		return isTrusted;
	};
}
