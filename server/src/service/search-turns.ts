import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a stretch of a search, or of a long inbox, when those that were asked for before have had theirs. An embedded
 * store does one thing at a time: between any two stretches, whosever they are, everything else gets its
 * turn, however many people ask for much.
 * @param stretch a question to the store that takes some milliseconds at most
 */
export function inSearchTurn<T>(stretch: () => Promise<T>): Promise<T> {
	const done = last.then(stretch);
	last = done.catch(() => undefined).then(() => setImmediate());
	return done;
}
