import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
	/** The awaited thing, as the error names it. */
	what: string;
	/** True if another try is pointless after a failure. */
	isFinal?: () => boolean;
}

const PAUSE_MS = 100;

/** Only ends what hangs, on however slow a machine. */
export const HANGS_SECONDS = 240;

/**
 * Retries until the answer is defined, and returns it.
 * @throws if the time is over or another try is pointless, with the last failure as the cause
 */
export async function until<T>(
	ask: () => Promise<T | undefined> | T | undefined,
	{ what, isFinal = () => false }: UntilOptions,
): Promise<T> {
	const deadline = Date.now() + HANGS_SECONDS * 1_000;
	let cause: unknown;
	while (Date.now() < deadline) {
		try {
			const answer = await ask();
			if (answer !== undefined) return answer;
			cause = undefined;
		} catch (error) {
			cause = error;
			if (isFinal()) break;
		}
		await pause(PAUSE_MS);
	}
	const reason = cause instanceof Error ? `: ${cause.message}` : '';
	throw new Error(`No ${what} within ${HANGS_SECONDS} seconds${reason}`, { cause });
}
