import { isObject, refusalIn, type Answer } from './answer';
import { retryAfterHeader } from './rate-limit-headers';

/** The outcome of a request: the answer, or the error thrown in its place. */
export type Outcome = { answer: Answer } | { error: unknown };

/** Milliseconds before each further attempt. */
const PAUSES = [500, 1000, 2000];

/** The connection was never made, so nothing can have arrived. */
const NOTHING_SENT = ['ECONNREFUSED', 'EAI_AGAIN'];

/** The same while a server restarts: the name of its container is unknown until it is back. */
const AWAY = [...NOTHING_SENT, 'ENOTFOUND'];

/** The request may or may not have arrived. */
const CONNECTION_LOST = [
	'ECONNRESET',
	'ECONNABORTED',
	'ETIMEDOUT',
	'EPIPE',
	'EHOSTUNREACH',
	'ENETUNREACH',
];

/**
 * Milliseconds to wait for a server that stores nothing or is unreachable, if the user sets no limit. Unlike an
 * allowance, it may never come back.
 */
const OUTAGE_PATIENCE_MS = 300_000;

/** Our own code: n8n's errors of this kind have none. */
export const SSRF_BLOCKED = 'SSRF_BLOCKED';

const SERVICE_UNAVAILABLE = [502, 503, 504];

export interface Repetition {
	/** True if a second send changes nothing when the first has arrived. */
	isRepeatable: boolean;
	/** The limit on all pauses together, in milliseconds. */
	longestWait: number;
	/** True to wait for an unreachable server as for one that stores nothing. */
	awaitsServer?: boolean | undefined;
	/** State shared by the calls of a run. */
	run: { awaySince?: number | undefined };
	/** Waits this many milliseconds; rejects if the execution is cancelled. */
	wait: (milliseconds: number) => Promise<void>;
	/** Milliseconds since the epoch. */
	now: () => number;
}

/**
 * Retries after a failure that may pass, where that cannot duplicate anything: a few times, or, if the server stores
 * nothing or is unreachable, for as long as the user wants to wait. The calls of a run wait for it together.
 * @param send resolves for every HTTP status, rejects if there was no answer
 * @throws the error of the last attempt
 */
export async function sendRepeatedly(
	send: () => Promise<Answer>,
	repetition: Repetition,
): Promise<Answer> {
	const { run, wait, now } = repetition;
	let waited = 0;
	for (let attempt = 0; ; attempt += 1) {
		const outcome = await settle(send);
		const isAway = isOutage(outcome, repetition);
		if (isAway) run.awaySince ??= now();
		else if ('answer' in outcome) run.awaySince = undefined;
		const isWorthIt = isAway || mayPass(outcome, repetition.isRepeatable);
		const pause = isWorthIt ? pauseAfter(outcome, attempt, isAway, now()) : undefined;
		const limit =
			isAway && repetition.longestWait === Infinity ? OUTAGE_PATIENCE_MS : repetition.longestWait;
		const spent = isAway ? now() - (run.awaySince ?? 0) : waited;
		if (pause === undefined || spent + pause > limit) return answerIn(outcome);
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

/** True if the server stores nothing, or is unreachable, which its proxy then reports. */
function isOutage(outcome: Outcome, { awaitsServer, isRepeatable }: Repetition): boolean {
	if (isNotStored(outcome)) return true;
	if (!awaitsServer) return false;
	if ('error' in outcome) return AWAY.includes(codeIn(outcome.error) ?? '');
	return isRepeatable && isUnavailable(outcome.answer) && !refusalIn(outcome.answer);
}

function mayPass(outcome: Outcome, isRepeatable: boolean): boolean {
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
function pauseAfter(
	outcome: Outcome,
	attempt: number,
	isAway: boolean,
	now: number,
): number | undefined {
	const pause = PAUSES[attempt] ?? (isAway ? PAUSES.at(-1) : undefined);
	if (pause === undefined || 'error' in outcome) return pause;
	const stated = retryAfterHeader(outcome.answer.headers, now) ?? 0;
	return Math.max(pause, stated * 1000);
}

/** An error thrown by n8n's request helper, and the errors that it wraps, down to the system's. */
export function causesOf(error: unknown): Array<Record<string, unknown>> {
	const causes: Array<Record<string, unknown>> = [];
	let cause = error;
	for (; isObject(cause) && causes.length < 5; cause = cause['cause'] ?? cause['errorResponse'])
		causes.push(cause);
	return causes;
}

/**
 * The system's code in an error thrown by n8n's request helper, such as ECONNREFUSED. The errors of n8n 1 lose their
 * cause, and keep the code as their status.
 */
export function codeIn(error: unknown): string | undefined {
	const causes = causesOf(error);
	if (causes.some(({ name }) => String(name).startsWith('SsrfBlocked'))) return SSRF_BLOCKED;
	const codes = causes.flatMap(({ code, httpCode }) => [code, httpCode]);
	return codes.find((code): code is string => typeof code === 'string' && /^[A-Z]/.test(code));
}
