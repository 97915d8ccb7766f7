import { isObject, refusalIn, type Answer } from './answer';
import { retryAfterHeader } from './rate-limit-headers';

/** The outcome of a request: the answer, or the error thrown in its place. */
export type Outcome = { answer: Answer } | { error: unknown };

/** Milliseconds before each further attempt. */
const PAUSES = [500, 1000, 2000];

/** The connection was never made, so nothing can have arrived. */
const NOTHING_SENT = ['ECONNREFUSED'];

/** The request may or may not have arrived. */
const CONNECTION_LOST = [
	'ECONNRESET',
	'ECONNABORTED',
	'ETIMEDOUT',
	'EPIPE',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
];

/**
 * Milliseconds after which a server that stores nothing is given up, if the user sets no limit. Unlike an
 * allowance, a database or a full disk may stay away for good.
 */
const OUTAGE_PATIENCE = 300_000;

/** Our own code: n8n's errors of this kind have none. */
export const SSRF_BLOCKED = 'SSRF_BLOCKED';

const SERVICE_UNAVAILABLE = [502, 503, 504];

export interface Repetition {
	/** True if a second send changes nothing when the first has arrived. An answer may make it true. */
	readonly isRepeatable: boolean;
	/** The limit on all pauses together, in milliseconds. */
	longestWait: number;
	/** Waits this many milliseconds; rejects if the execution is cancelled. */
	wait: (milliseconds: number) => Promise<void>;
	/** Milliseconds since the epoch. */
	now: () => number;
}

/**
 * Retries after a failure that may pass, where that cannot duplicate anything: a few times, or, if the server
 * says that nothing was stored, as long as the user wants to wait.
 * @param send resolves for every HTTP status, rejects if there was no answer
 * @throws the error of the last attempt
 */
export async function sendRepeatedly(
	send: () => Promise<Answer>,
	repetition: Repetition,
): Promise<Answer> {
	const { longestWait, wait, now } = repetition;
	let waited = 0;
	for (let attempt = 0; ; attempt += 1) {
		const outcome = await settle(send);
		const isWorthIt = mayPass(outcome, repetition.isRepeatable);
		const pause = isWorthIt ? pauseAfter(outcome, attempt, now()) : undefined;
		const limit = isNotStored(outcome) && longestWait === Infinity ? OUTAGE_PATIENCE : longestWait;
		if (pause === undefined || waited + pause > limit) return answerIn(outcome);
		await wait(pause);
		waited += pause;
	}
}

/** True if a request with this outcome may have been processed anyway. */
export function isUnknown(outcome: Outcome): boolean {
	return 'answer' in outcome
		? isUnavailable(outcome.answer) && !isNotStored(outcome)
		: CONNECTION_LOST.includes(codeIn(outcome.error) ?? '');
}

async function settle(send: () => Promise<Answer>): Promise<Outcome> {
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
	if (isNotStored(outcome)) return true;
	if ('answer' in outcome) return isRepeatable && isUnavailable(outcome.answer);
	const code = codeIn(outcome.error) ?? '';
	return NOTHING_SENT.includes(code) || (isRepeatable && CONNECTION_LOST.includes(code));
}

/** The server says that nothing was stored or sent (docs/api-decisions.md "Requests"). */
function isNotStored(outcome: Outcome): boolean {
	return (
		'answer' in outcome &&
		outcome.answer.status === 503 &&
		refusalIn(outcome.answer)?.['code'] === 'not_stored'
	);
}

/** A phone that must reconnect does not count: only its owner can fix that. */
function isUnavailable(answer: Answer): boolean {
	return (
		SERVICE_UNAVAILABLE.includes(answer.status) &&
		refusalIn(answer)?.['code'] !== 'badge_device_disconnected'
	);
}

/** Milliseconds; undefined after the last attempt. */
function pauseAfter(outcome: Outcome, attempt: number, now: number): number | undefined {
	const pause = PAUSES[attempt] ?? (isNotStored(outcome) ? PAUSES.at(-1) : undefined);
	if (pause === undefined || 'error' in outcome) return pause;
	const stated = retryAfterHeader(outcome.answer.headers, now) ?? 0;
	return Math.max(pause, stated * 1000);
}

/** The system's code in an error thrown by n8n's request helper, such as ECONNREFUSED. */
export function codeIn(error: unknown): string | undefined {
	for (let cause = error, depth = 0; isObject(cause) && depth < 5; depth += 1) {
		const { name } = cause;
		if (typeof name === 'string' && name.startsWith('SsrfBlocked')) return SSRF_BLOCKED;
		if (typeof cause['code'] === 'string') return cause['code'];
		cause = cause['cause'] ?? cause['errorResponse'];
	}
	return undefined;
}
