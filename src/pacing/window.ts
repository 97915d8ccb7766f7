import type { RateLimit } from '../rate-limit-headers';

/** When a request was sent and when its answer came, in milliseconds since the epoch. */
export interface Exchange {
	sentAt: number;
	answeredAt: number;
}

/**
 * What is known of a policy's fixed window (service-api.md "Headers"). Its end is known only to lie
 * between two moments, as the service states whole seconds and the way to and fro takes time.
 */
export interface PolicyWindow {
	/** Requests that are left; never more than there are. */
	remaining: number;
	/** Milliseconds since the epoch: the window does not end before. */
	endsFrom: number;
	/** Milliseconds since the epoch: the window has ended by then. */
	endsBy: number;
}

const SECOND = 1000;

/**
 * The window as one answer tells of it: the service counted the request at some moment between its
 * sending and its answer, and rounded the seconds until the reset up. A request that is the only one
 * counted has opened the window, so that nothing was rounded.
 */
export function windowSeen(
	{ remaining, resetSeconds, quota, windowSeconds }: RateLimit,
	{ sentAt, answeredAt }: Exchange,
): PolicyWindow {
	const isOpener = quota !== undefined && remaining === quota - 1 && resetSeconds === windowSeconds;
	const roundedUpBy = isOpener ? 0 : SECOND;
	return {
		remaining,
		endsFrom: sentAt + resetSeconds * SECOND - roundedUpBy,
		endsBy: answeredAt + resetSeconds * SECOND,
	};
}

/** Several answers tell of one window more exactly than each of them. */
export function windowLearned(
	known: PolicyWindow | undefined,
	seen: PolicyWindow,
	{ sentAt }: Exchange,
): PolicyWindow {
	const isNewer = !known || sentAt >= known.endsBy || seen.endsFrom > known.endsBy;
	if (isNewer) return seen;
	// Equal ends are one window: its opener, answered within a millisecond, tells its end exactly.
	const isOlder = seen.endsBy < known.endsFrom;
	if (isOlder) return known;
	// Answers overtake each other: the smallest count is the latest.
	const remaining = Math.min(known.remaining, seen.remaining);
	const endsFrom = Math.max(known.endsFrom, seen.endsFrom);
	const endsBy = Math.min(known.endsBy, seen.endsBy);
	const contradicts = endsFrom > endsBy;
	return contradicts ? seen : { remaining, endsFrom, endsBy };
}
