import { refusalIn, type Answer } from './answer';
import { codeIn } from './connection-failure';
import { retryAfterHeader } from './rate-limit-headers';

/** What became of a request: the answer, or what was thrown because there was none. */
export type Outcome = { answer: Answer } | { error: unknown };

/** Milliseconds before each further attempt. */
const PAUSES = [500, 1000, 2000];

/** The connection was never made, so nothing can have arrived. */
const NOTHING_SENT = ['ECONNREFUSED'];

/** It is unknown whether the request has arrived. */
const CONNECTION_LOST = [
	'ECONNRESET',
	'ECONNABORTED',
	'ETIMEDOUT',
	'EPIPE',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
];

const SERVICE_UNAVAILABLE = [502, 503, 504];

export interface Repetition {
	/** Whether sending again changes nothing where the request has arrived already. */
	isRepeatable: boolean;
	/** Milliseconds that the pauses may take together. */
	longestWait: number;
	/** Waits so many milliseconds; rejects when the execution is cancelled. */
	wait: (milliseconds: number) => Promise<void>;
	/** Milliseconds since the epoch. */
	now: () => number;
}

/**
 * Sends again after a failure that may pass, where that cannot duplicate anything, a few times.
 * @param send resolves for every HTTP status, rejects when there was no answer
 * @throws what the last attempt threw
 */
export async function sendRepeatedly(
	send: () => Promise<Answer>,
	{ isRepeatable, longestWait, wait, now }: Repetition,
): Promise<Answer> {
	let waited = 0;
	for (let attempt = 0; ; attempt += 1) {
		const outcome = await outcomeOf(send);
		const pause = mayPass(outcome, isRepeatable) ? pauseAfter(outcome, attempt, now()) : undefined;
		if (pause === undefined || waited + pause > longestWait) return answerIn(outcome);
		await wait(pause);
		waited += pause;
	}
}

/** Whether a request that came to this may have been carried out all the same. */
export function isUnknown(outcome: Outcome): boolean {
	return 'answer' in outcome
		? isUnavailable(outcome.answer)
		: CONNECTION_LOST.includes(codeIn(outcome.error) ?? '');
}

async function outcomeOf(send: () => Promise<Answer>): Promise<Outcome> {
	try {
		return { answer: await send() };
	} catch (error) {
		return { error };
	}
}

function answerIn(outcome: Outcome): Answer {
	if ('answer' in outcome) return outcome.answer;
	throw outcome.error;
}

function mayPass(outcome: Outcome, isRepeatable: boolean): boolean {
	if ('answer' in outcome) return isRepeatable && isUnavailable(outcome.answer);
	const code = codeIn(outcome.error) ?? '';
	return NOTHING_SENT.includes(code) || (isRepeatable && CONNECTION_LOST.includes(code));
}

/** A phone that has to connect again is for its owner to mend (service-api.md "Errors", 502). */
function isUnavailable(answer: Answer): boolean {
	return (
		SERVICE_UNAVAILABLE.includes(answer.status) &&
		refusalIn(answer)?.['code'] !== 'badge_device_disconnected'
	);
}

/** Milliseconds; undefined when there were attempts enough. */
function pauseAfter(outcome: Outcome, attempt: number, now: number): number | undefined {
	const pause = PAUSES[attempt];
	if (pause === undefined || 'error' in outcome) return pause;
	const stated = retryAfterHeader(outcome.answer.headers, now) ?? 0;
	return Math.max(pause, stated * 1000);
}
