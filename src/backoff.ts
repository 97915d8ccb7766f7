import { isRateRefusal, type Answer } from './answer';
import { retryAfterSeconds } from './rate-limit-headers';

export interface Backoff {
	/** Milliseconds that one request may wait in all before its item fails. */
	longestWait: number;
	/** Waits so many milliseconds; rejects when the execution is cancelled. */
	wait: (milliseconds: number) => Promise<void>;
	/** Milliseconds since the epoch. */
	now: () => number;
}

/** The service's allowance is used up for longer than the user wants to wait. */
export class AllowanceUsedUp extends Error {
	readonly answer: Answer;

	/** Milliseconds from the answer until the allowance returns. */
	readonly returnsIn: number;

	readonly returnsAt: Date;

	constructor(answer: Answer, returnsIn: number, now: number) {
		super('The allowance is used up');
		this.answer = answer;
		this.returnsIn = returnsIn;
		this.returnsAt = new Date(now + returnsIn);
	}
}

/** Without a header, or told to come back at once, waits grow from one second to one minute. */
function guessedWait(attempt: number): number {
	return Math.min(60_000, 1000 * 2 ** attempt);
}

/**
 * Sends until the answer is something else than a refusal for the request rate. Such a refusal had
 * no effect, so repeating it cannot duplicate anything; every other answer is final.
 * @param send one attempt; resolves for every HTTP status, rejects when there was no answer
 * @throws AllowanceUsedUp when the waits would exceed `longestWait`
 */
export async function sendWithBackoff(
	send: () => Promise<Answer>,
	{ longestWait, wait, now }: Backoff,
): Promise<Answer> {
	let waited = 0;
	for (let attempt = 0; ; attempt += 1) {
		const answer = await send();
		if (!isRateRefusal(answer)) return answer;

		const stated = (retryAfterSeconds(answer.headers, now()) ?? 0) * 1000;
		const pause = stated > 0 ? stated : guessedWait(attempt);
		if (waited + pause > longestWait) throw new AllowanceUsedUp(answer, pause, now());
		await wait(pause);
		waited += pause;
	}
}
