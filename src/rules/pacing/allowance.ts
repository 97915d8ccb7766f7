import { isRateRefusal, type Answer } from '../answer';
import { rateLimitsIn, retryAfterSeconds } from '../rate-limit-headers';

/** A policy's fixed window, as far as known. Its end is known only to lie between two times, since epoch in ms. */
interface PolicyWindow {
	/** Requests left, never overstated. */
	remaining: number;
	endsFrom: number;
	endsBy: number;
}

/** Milliseconds after which a request without an answer no longer holds up the others. */
const UNANSWERED_AFTER_MS = 5000;

/** Without a header, or if told to return at once, waits grow from one second to one minute. */
function guessedWait(attempt: number): number {
	return Math.min(60_000, 1000 * 2 ** attempt);
}

/**
 * A key's remaining allowance for one feature, learned from every answer (docs/api-decisions.md "Rate limits").
 * Several policies count the same requests; the scarcest applies. While nothing is known, or after a window has
 * ended, one request goes ahead and the others wait for its answer.
 */
export class Allowance {
	private readonly windows = new Map<string, PolicyWindow>();

	/** Milliseconds since the epoch until which the service says that it refuses. */
	private refusedUntil = 0;

	private refusals = 0;

	private isExplored = false;

	/** @param sentAt milliseconds since the epoch, as `answeredAt` */
	learn(answer: Answer, sentAt: number, answeredAt: number): void {
		this.isExplored = true;
		for (const { policy, remaining, resetSeconds } of rateLimitsIn(answer.headers)) {
			// The service counted the request between the two, and rounded up the seconds until the reset.
			const endsFrom = sentAt + (resetSeconds - 1) * 1000;
			const endsBy = answeredAt + resetSeconds * 1000;
			const known = this.windows.get(policy);
			if (!known || sentAt >= known.endsBy || endsFrom > known.endsBy) {
				this.windows.set(policy, { remaining, endsFrom, endsBy });
			} else if (endsBy >= known.endsFrom) {
				// Answers may arrive out of order: the smallest count is the latest. Earlier windows no longer matter.
				known.remaining = Math.min(known.remaining, remaining);
				known.endsFrom = Math.max(known.endsFrom, endsFrom);
				known.endsBy = Math.min(known.endsBy, endsBy);
			}
		}
		this.forgetEndedBefore(sentAt);
		if (isRateRefusal(answer)) this.refused(answer, answeredAt);
		else this.refusals = 0;
	}

	/**
	 * The number of requests that may be sent now.
	 * @param inFlight the sending time of each unanswered request
	 */
	room(now: number, inFlight: readonly number[]): number {
		if (now < this.refusedUntil) return 0;
		let room = this.isExplored ? Infinity : roomAhead(now, 0, inFlight);
		for (const { remaining, endsBy } of this.windows.values()) {
			const left = now < endsBy ? remaining - inFlight.length : roomAhead(now, endsBy, inFlight);
			room = Math.min(room, left);
		}
		return room;
	}

	/** The time at which a used-up allowance is full again; a past time if it is not used up. */
	returnsAt(): number {
		const ends = [...this.usedUp()].map(([, { endsBy }]) => endsBy);
		return Math.max(this.refusedUntil, ...ends);
	}

	/**
	 * The next time, in milliseconds since the epoch, at which room may be free; Infinity if there
	 * is none.
	 */
	changesAt(now: number, inFlight: readonly number[]): number {
		const ends = [...this.windows.values()].map(({ endsBy }) => endsBy);
		const moments = [this.refusedUntil, ...ends, Math.min(...inFlight) + UNANSWERED_AFTER_MS];
		return Math.min(...moments.filter((moment) => moment > now));
	}

	/** Names of the used-up policies. */
	usedUpPolicies(): string[] {
		return [...this.usedUp()].map(([name]) => name);
	}

	private usedUp(): Array<[string, PolicyWindow]> {
		return [...this.windows].filter(([, { remaining }]) => remaining <= 0);
	}

	/** Forgets policies that no answer to a later request has renewed: they no longer apply. */
	private forgetEndedBefore(time: number): void {
		for (const [name, { endsBy }] of this.windows) {
			if (endsBy <= time) this.windows.delete(name);
		}
	}

	private refused({ headers }: Answer, answeredAt: number): void {
		const stated = (retryAfterSeconds(headers, answeredAt) ?? 0) * 1000;
		const pause = stated > 0 ? stated : guessedWait(this.refusals);
		this.refusals += 1;
		this.refusedUntil = Math.max(this.refusedUntil, answeredAt + pause);
	}
}

/** The service's allowance is used up for longer than the user is willing to wait. */
export class AllowanceUsedUp extends Error {
	/** The service's refusal; undefined if the wait was known before sending. */
	readonly answer: Answer | undefined;

	/** Milliseconds until the allowance returns. */
	readonly returnsIn: number;

	readonly returnsAt: Date;

	/**
	 * @param policies names of the used-up policies
	 * @param returnsAt milliseconds since the epoch
	 */
	constructor(policies: readonly string[], returnsAt: number, now: number, answer?: Answer) {
		const whose = policies.length > 0 ? ` of ${policies.join(' and ')}` : '';
		super(`The allowance${whose} is used up.`);
		this.answer = answer;
		this.returnsIn = returnsAt - now;
		this.returnsAt = new Date(returnsAt);
	}
}

/** One request goes ahead; if it stays unanswered, the others follow anyway. */
function roomAhead(now: number, since: number, inFlight: readonly number[]): number {
	const ahead = inFlight.filter((sentAt) => sentAt >= since);
	if (ahead.length === 0) return 1;
	return now - Math.min(...ahead) >= UNANSWERED_AFTER_MS ? Infinity : 0;
}
