import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a part of a search, a count or a long inbox after those requested before it. An embedded store does
 * one thing at a time: other work gets its turn between any two parts, however many are
 * running.
 * @param part a query that takes a few milliseconds at most
 */
export function inSearchTurn<T>(part: () => Promise<T>): Promise<T> {
	const done = last.then(part);
	last = done.catch(() => undefined).then(() => setImmediate());
	return done;
}
