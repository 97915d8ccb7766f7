import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../database.ts';
import type { Db } from '../../schema.ts';

/**
 * Reads of a store that does one thing at a time, each after those requested before it: other work gets its
 * turn between any two, however many are waiting.
 * @returns a function that waits for its turn, and runs the read
 */
export function readTurns(db: Db): Database['readInTurn'] {
	let last: Promise<unknown> = Promise.resolve();
	return (read) => {
		const done = last.then(() => read(db));
		last = done.catch(() => undefined).then(() => setImmediate());
		return done;
	};
}
