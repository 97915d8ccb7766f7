import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
	/** What is waited for, as the error says it. */
	what: string;
	seconds?: number;
	/** Whether asking again is in vain after a failure. */
	isFinal?: () => boolean;
}

const PAUSE_MS = 100;

/**
 * Asks again and again until the answer is something, and returns it.
 * @throws when the time is over or asking is in vain, with what the last question failed with
 */
export async function until<T>(
	ask: () => Promise<T | undefined> | T | undefined,
	{ what, seconds = 30, isFinal = () => false }: UntilOptions,
): Promise<T> {
	const deadline = Date.now() + seconds * 1_000;
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
	throw new Error(`No ${what} within ${seconds} seconds${reason}`, { cause });
}
