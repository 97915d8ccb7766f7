import { setImmediate } from 'node:timers/promises';

/**
 * Reads of a store that does one thing at a time, each after those requested before it: other work gets its
 * turn between any two, however many are waiting.
 * @returns a function that waits for its turn, and runs the read
 */
export function readTurns(): <T>(read: () => Promise<T>) => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	return (read) => {
		const done = last.then(read);
		last = done.catch(() => undefined).then(() => setImmediate());
		return done;
	};
}
