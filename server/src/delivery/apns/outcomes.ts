import { HANDED_OVER, type Outcome, retryAfterMs } from '../gateway.ts';
import type { ApnsResponse } from './connection.ts';

/**
 * - `retry`: Apple is busy, or the credentials are wrong, which the operator can fix.
 * - `gone`: the token is no longer valid.
 * - `bad_token`: the token was never valid for this app in this environment.
 * - `refused`: the request itself will never be accepted.
 */
type Verdict = 'retry' | 'gone' | 'bad_token' | 'refused';

/** The reasons that mean something other than their status (Apple: "Handling notification responses from APNs"). */
const VERDICTS = new Map<string | undefined, Verdict>([
	['BadChannelId', 'bad_token'],
	['BadDeviceToken', 'bad_token'],
	['BadTopic', 'retry'],
	['ChannelNotRegistered', 'bad_token'],
	['DeviceTokenNotForTopic', 'bad_token'],
	['IdleTimeout', 'retry'],
	['TopicDisallowed', 'retry'],
]);

function toVerdict(status: number): Verdict {
	if (status === 410) return 'gone';
	return status === 403 || status === 429 || status >= 500 ? 'retry' : 'refused';
}

export type TokenKind = 'device' | 'push_to_start' | 'activity';

/** Translates a response of APNs into the delivery's outcome, by the kind of token it was sent to. */
export function toOutcome(response: ApnsResponse, token: TokenKind, now: number): Outcome {
	const { status, headers, body } = response;
	if (status === 200) return HANDED_OVER;
	const { reason: name, timestamp } = readRefusal(body);
	const reason = `APNs answered ${status}${name ? ` ${name}` : ''}`;
	const verdict = VERDICTS.get(name) ?? toVerdict(status);
	if (verdict === 'retry')
		return { kind: 'retry', reason, retryAfterMs: retryAfterMs(headers['retry-after'], now) };
	if (verdict === 'refused') return { kind: 'refused', reason };
	if (token === 'activity') return { kind: 'no_token', reason };
	if (token === 'push_to_start') return { kind: 'refused', reason, isStartTokenDead: true };
	return verdict === 'gone'
		? { kind: 'gone', reason, since: timestamp }
		: { kind: 'refused', reason };
}

/**
 * Reads why APNs refused a request, if it says so. `timestamp`: when it found the token invalid, in milliseconds since
 * 1970.
 */
export function readRefusal(body: string): { reason?: string; timestamp?: number } {
	try {
		const { reason, timestamp } = JSON.parse(body) as Record<string, unknown>;
		return {
			...(typeof reason === 'string' && { reason: reason.slice(0, 64) }),
			...(typeof timestamp === 'number' && { timestamp }),
		};
	} catch {
		return {};
	}
}
