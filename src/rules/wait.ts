import { WaitCancelled, type Cancellation } from './cancellation';

export interface Clock {
	/** Milliseconds since the epoch. */
	now: () => number;
	sleep: (milliseconds: number) => Promise<void>;
}

/** A sleep cannot be ended early, so a long wait is made of short ones. */
export const MAX_SLEEP_MS = 1000;

/**
 * Waits, and stops at once if the execution is cancelled. A community node has no timers of its own;
 * n8n's `sleep` takes a signal only in recent versions, so the race is run here.
 * @throws WaitCancelled
 */
export async function wait(
	milliseconds: number,
	cancellation: Cancellation,
	clock: Clock,
): Promise<void> {
	if (cancellation.isCancelled) throw new WaitCancelled();
	for (let left = milliseconds; left > 0; left -= MAX_SLEEP_MS) {
		await cancellation.race(clock.sleep(Math.min(left, MAX_SLEEP_MS)));
	}
}
