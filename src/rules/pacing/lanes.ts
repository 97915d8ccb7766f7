import type { Cancellation } from '../cancellation';

/** Runs tasks for one thing in the order requested, and those for different things side by side. */
export class Lanes {
	private readonly ends = new Map<string | object, Promise<void>>();

	/**
	 * @param key the thing or its name; undefined for a task that needs no order
	 * @throws WaitCancelled, and anything that the task throws
	 */
	async inTurn<T>(
		key: string | object | undefined,
		cancellation: Cancellation,
		task: () => Promise<T>,
	): Promise<T> {
		if (key === undefined) return await task();
		const before = this.ends.get(key);
		let finish = (): void => undefined;
		const finished = new Promise<void>((resolve) => {
			finish = resolve;
		});
		// A task that gives up waiting must not let the next one overtake those before it.
		const end = Promise.all([before, finished]).then(() => undefined);
		this.ends.set(key, end);
		try {
			if (before) await cancellation.race(before);
			return await task();
		} finally {
			finish();
			if (this.ends.get(key) === end) this.ends.delete(key);
		}
	}
}
