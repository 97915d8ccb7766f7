import { sleep } from 'n8n-workflow';

/** The execution was cancelled while a request waited for its turn. */
export class WaitCancelled extends Error {
	constructor() {
		super('The execution was canceled while waiting for the rate limit to reset');
	}
}

/** A sleep cannot be ended early, so a long wait is made of short ones. */
const LONGEST_SLEEP = 1000;

/**
 * Waits, and stops at once when the execution is cancelled. A community node has no timers of its
 * own; n8n's `sleep` takes a signal in recent versions only, so the race is run here.
 * @throws WaitCancelled
 */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
	const cancellation = whenAborted(signal);
	try {
		for (let left = milliseconds; left > 0 && !signal?.aborted; left -= LONGEST_SLEEP) {
			await Promise.race([sleep(Math.min(left, LONGEST_SLEEP)), cancellation.promise]);
		}
	} finally {
		cancellation.forget();
	}
	if (signal?.aborted) throw new WaitCancelled();
}

function whenAborted(signal?: AbortSignal): { promise: Promise<void>; forget: () => void } {
	let onAbort = (): void => undefined;
	const promise = new Promise<void>((resolve) => {
		onAbort = () => resolve();
	});
	signal?.addEventListener('abort', onAbort);
	return { promise, forget: () => signal?.removeEventListener('abort', onAbort) };
}
