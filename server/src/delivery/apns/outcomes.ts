import { HANDED_OVER, type Outcome } from '../gateway.ts';
import { retryAfterMs } from '../backoff.ts';
import type { ApnsResponse } from './connection.ts';

/**
 * - `retry`: Apple is busy, or the credentials are wrong, which the operator can fix.
 * - `gone`: the token is no longer valid.
 * - `bad_token`: the token was never valid for this app in this environment.
 * - `refused`: the request itself will never be accepted.
 */
type Verdict = 'retry' | 'gone' | 'bad_token' | 'refused';

/** Every reason Apple documents ("Handling notification responses from APNs"), by status. */
export const REASONS: Record<string, { status: number; verdict: Verdict }> = {
	BadCollapseId: { status: 400, verdict: 'refused' },
	BadDeviceToken: { status: 400, verdict: 'bad_token' },
	BadExpirationDate: { status: 400, verdict: 'refused' },
	BadMessageId: { status: 400, verdict: 'refused' },
	BadPriority: { status: 400, verdict: 'refused' },
	BadTopic: { status: 400, verdict: 'retry' },
	DeviceTokenNotForTopic: { status: 400, verdict: 'bad_token' },
	DuplicateHeaders: { status: 400, verdict: 'refused' },
	IdleTimeout: { status: 400, verdict: 'retry' },
	InvalidPushType: { status: 400, verdict: 'refused' },
	MissingDeviceToken: { status: 400, verdict: 'refused' },
	MissingTopic: { status: 400, verdict: 'refused' },
	PayloadEmpty: { status: 400, verdict: 'refused' },
	TopicDisallowed: { status: 400, verdict: 'retry' },
	BadCertificate: { status: 403, verdict: 'retry' },
	BadCertificateEnvironment: { status: 403, verdict: 'retry' },
	BadEnvironmentKeyIdInToken: { status: 403, verdict: 'retry' },
	ExpiredProviderToken: { status: 403, verdict: 'retry' },
	Forbidden: { status: 403, verdict: 'retry' },
	InvalidProviderToken: { status: 403, verdict: 'retry' },
	MissingProviderToken: { status: 403, verdict: 'retry' },
	UnrelatedKeyIdInToken: { status: 403, verdict: 'retry' },
	BadPath: { status: 404, verdict: 'refused' },
	MethodNotAllowed: { status: 405, verdict: 'refused' },
	ExpiredToken: { status: 410, verdict: 'gone' },
	Unregistered: { status: 410, verdict: 'gone' },
	PayloadTooLarge: { status: 413, verdict: 'refused' },
	TooManyProviderTokenUpdates: { status: 429, verdict: 'retry' },
	TooManyRequests: { status: 429, verdict: 'retry' },
	InternalServerError: { status: 500, verdict: 'retry' },
	ServiceUnavailable: { status: 503, verdict: 'retry' },
	Shutdown: { status: 503, verdict: 'retry' },
};

/** For reasons Apple has not documented yet. */
function toVerdict(status: number): Verdict {
	if (status === 410) return 'gone';
	return status === 403 || status === 429 || status >= 500 ? 'retry' : 'refused';
}

export type TokenKind = 'device' | 'push_to_start' | 'activity';

/** Translates an answer of APNs into the delivery's outcome, by the kind of token it was sent to. */
export function toOutcome(response: ApnsResponse, token: TokenKind, now: number): Outcome {
	const { status, headers, body } = response;
	if (status === 200) return HANDED_OVER;
	const name = reasonIn(body);
	const reason = `APNs answered ${status}${name ? ` ${name}` : ''}`;
	const verdict = (name ? REASONS[name]?.verdict : undefined) ?? toVerdict(status);
	if (verdict === 'retry')
		return { kind: 'retry', reason, retryAfterMs: retryAfterMs(headers['retry-after'], now) };
	if (verdict === 'refused') return { kind: 'refused', reason };
	if (token === 'activity') return { kind: 'no_token', reason };
	if (token === 'push_to_start') return { kind: 'refused', reason, isStartTokenDead: true };
	return verdict === 'gone'
		? { kind: 'gone', reason, since: timestampIn(body) }
		: { kind: 'refused', reason };
}

/** The reason APNs names, undefined if there is no readable one. */
export function reasonIn(body: string): string | undefined {
	const { reason } = readFields(body);
	return typeof reason === 'string' ? reason.slice(0, 64) : undefined;
}

/** Time at which APNs found the token invalid, in milliseconds since 1970; only 410 has it. */
function timestampIn(body: string): number | undefined {
	const { timestamp } = readFields(body);
	return typeof timestamp === 'number' ? timestamp : undefined;
}

function readFields(body: string): { reason?: unknown; timestamp?: unknown } {
	try {
		const parsed: unknown = JSON.parse(body);
		return typeof parsed === 'object' && parsed !== null ? parsed : {};
	} catch {
		return {};
	}
}
