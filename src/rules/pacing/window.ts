import type { RateLimit } from '../rate-limit-headers';

/** The times of a request and its answer, in milliseconds since the epoch. */
export interface Exchange {
	sentAt: number;
	answeredAt: number;
}

/**
 * A policy's fixed window, as far as known (docs/api-decisions.md "Rate limits"). Its end is known only to lie
 * between two moments, because the service states whole seconds and the round trip takes time.
 */
export interface PolicyWindow {
	/** Requests left, never overstated. */
	remaining: number;
	/** Milliseconds since the epoch: the window does not end earlier. */
	endsFrom: number;
	/** Milliseconds since the epoch: the window has ended by then. */
	endsBy: number;
}

const SECOND = 1000;

/**
 * The window according to one answer: the service counted the request between its sending and its
 * answer, and rounded up the seconds until the reset. If no other request was counted, this one
 * opened the window, and nothing was rounded.
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

/** Combines several answers about one window, which is more exact than any of them. */
export function windowLearned(
	known: PolicyWindow | undefined,
	seen: PolicyWindow,
	{ sentAt }: Exchange,
): PolicyWindow {
	const isNewer = !known || sentAt >= known.endsBy || seen.endsFrom > known.endsBy;
	if (isNewer) return seen;
	// Equal ends mean one window: its opener, answered within a millisecond, gives its exact end.
	const isOlder = seen.endsBy < known.endsFrom;
	if (isOlder) return known;
	// Answers overtake each other: the smallest count is the latest.
	const remaining = Math.min(known.remaining, seen.remaining);
	const endsFrom = Math.max(known.endsFrom, seen.endsFrom);
	const endsBy = Math.min(known.endsBy, seen.endsBy);
	const contradicts = endsFrom > endsBy;
	return contradicts ? seen : { remaining, endsFrom, endsBy };
}
