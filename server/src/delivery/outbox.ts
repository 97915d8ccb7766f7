import type { ForeignChange } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import type { OutgoingDelivery } from '../store/outbox/outbox.ts';
import type { Db } from '../store/schema.ts';
import { claimDue, nextDueAt } from '../store/outbox/outbox-claims.ts';
import { ATTEMPT_LIMIT_MS, type Gateway, type Outcome } from './gateway.ts';
import { type Attempted, recordOutcomes } from './outcomes.ts';
import { Slots } from '../slots.ts';
import { States } from '../states.ts';
import { isDoneWithin } from '../within.ts';

/**
 * Milliseconds a delivery belongs to the process attempting it. When a process dies, another takes up its
 * deliveries after that time.
 */
export const LEASE_MS = 30_000;

const CLAIMED_AT_ONCE = 500;

/** Maximum deliveries under way: a crash can delay this many. */
const MAX_UNDER_WAY = 2_000;

/** Outcomes that arrive within this time of a recording share the next transaction. */
const RECORD_EVERY_MS = 250;

/** Longest sleep while one delivery waits for another, which may be under way in another process. */
const HELD_UP_SLEEP_MS = 1_000;

/** Longest sleep of the worker: bounds the delay after a server is killed or a clock is set back. */
const LONGEST_SLEEP_MS = LEASE_MS;

export interface OutboxOptions {
	database: Database;
	gatewayFor: (delivery: OutgoingDelivery) => Gateway;
	/** Marks those of claimed deliveries that must no longer interrupt. @returns all of them */
	holdBack: (
		db: Db,
		claimed: readonly OutgoingDelivery[],
		now: number,
	) => Promise<OutgoingDelivery[]>;
	now: () => number;
	/** Milliseconds `deliverNow` waits for the first attempts (docs/api-decisions.md "Recipients and counts"). */
	firstAttemptMs: number;
	/** Receives errors of the store, and broken rules of the outbox itself. */
	onError: (error: unknown) => void;
	/** Called after every attempt with its outcome. */
	onAttempt?: ((gateway: Gateway, outcome: Outcome) => void) | undefined;
}

/** Outcomes of the first attempts that finished in time, by delivery id. */
export type FirstAttempts = ReadonlyMap<number, Outcome>;

type Mode = 'passive' | 'working' | 'stopped';

const MODES_AFTER: Record<Mode, readonly Mode[]> = {
	passive: ['working', 'stopped'],
	working: ['stopped'],
	stopped: ['passive', 'working', 'stopped'],
};

type Step = 'queued' | 'attempting' | 'attempted';

/**
 * Carries stored deliveries to their gateways.
 *
 * The outbox (`Mode`):
 *
 *     passive ──start──> working ──stop──> stopped ──start──> working
 *        └───────────────────stop────────────┴──runOnce──> passive
 *
 * - `passive`: attempts what `deliverNow` and `runOnce` ask for, as commands and tests need it.
 * - `working`: also claims by itself, in rounds, what is due. Between rounds it sleeps until the next delivery is
 *   due; `wake` ends the sleep.
 * - `stopped`: begins no attempt. What is under way ends, and its outcomes are recorded.
 *
 * A delivery that this process has leased (`Step`):
 *
 *     queued ──> attempting ──> attempted ──> recorded, and forgotten
 *        └──────────────────────────┘
 *
 * - `queued`: waits for a slot of its gateway.
 * - `attempting`: is at its gateway.
 * - `attempted`: its outcome waits to be recorded. A delivery that could not be attempted, because the outbox stops
 *   or too little of the lease is left, has no outcome, and its lease is given back.
 *
 * Guarantees:
 * - Nothing is lost: a delivery is pending in the store until its outcome is recorded. After a kill, or where
 *   recording fails, its lease ends after `LEASE_MS`, and any process's worker claims it.
 * - At least once: a kill between an attempt and its recording repeats the attempt. The phone drops the second by
 *   the delivery's id.
 * - One attempt at a time: the lease keeps other processes away, and outlasts the attempt, as none begins with less
 *   than `ATTEMPT_LIMIT_MS` left of it. A delivery under way here is not begun again.
 * - Deliveries of a lane reach their device in order: only the oldest pending one is claimed (`claimDue`) or, when it
 *   is new, leased (`Lanes.join`). The next follows once its outcome is recorded.
 *
 * A step or mode out of turn is reported to `onError`, which fails a test and is logged by a server; the outbox
 * goes on, because to stop would delay every delivery.
 */
export class Outbox {
	readonly #options: OutboxOptions;
	readonly #underWay: States<number, Step>;
	/** Lanes in which another delivery may be waiting for the one under way. */
	readonly #heldUp = new Set<string>();
	readonly #slots = new Map<Gateway, Slots<OutgoingDelivery>>();
	#attempted: Attempted[] = [];
	#recording: Promise<void> | undefined;
	#recordedAt = -Infinity;
	/** Ends the wait for more outcomes. */
	#hurry: () => void = () => undefined;
	#timer: NodeJS.Timeout | undefined;
	#mode: Mode = 'passive';
	/** True while a round is asked for and has not begun. */
	#isWoken = false;
	#round: Promise<void> = Promise.resolve();

	constructor(options: OutboxOptions) {
		this.#options = options;
		this.#underWay = new States('delivery', options.onError);
	}

	/** Milliseconds that first attempts get before a request is answered. */
	get firstAttemptMs(): number {
		return this.#options.firstAttemptMs;
	}

	/** Makes the first attempts for deliveries just stored; resolves when they are made or time is up. */
	async deliverNow(deliveries: readonly OutgoingDelivery[]): Promise<FirstAttempts> {
		const heldUp = deliveries.filter(({ leasedUntil }) => leasedUntil === null);
		for (const delivery of heldUp) this.#heldUp.add(laneKey(delivery));
		// The previous delivery may have finished before it could know that this one waits.
		if (heldUp.length > 0) this.wake();

		const outcomes = new Map<number, Outcome>();
		const leased = deliveries.filter(({ leasedUntil }) => leasedUntil !== null);
		const finished = this.#attemptAll(leased, (id, outcome) => outcomes.set(id, outcome));
		await isDoneWithin(this.#options.firstAttemptMs, finished);
		// Later outcomes are not first attempts.
		return outcomes.size === leased.length ? outcomes : new Map(outcomes);
	}

	/** Claims the due deliveries and attempts them. @returns the number of deliveries attempted */
	async runOnce(): Promise<number> {
		if (this.#mode === 'stopped') this.#enter('passive');
		const claimed = await this.#claim(CLAIMED_AT_ONCE);
		await this.#attemptAll(claimed);
		await this.#recording;
		return claimed.length;
	}

	start(): void {
		this.#enter('working');
		this.wake();
	}

	/** Looks for due deliveries now, rather than when the next is known to be due. */
	wake(): void {
		if (this.#mode !== 'working' || this.#isWoken) return;
		this.#isWoken = true;
		clearTimeout(this.#timer);
		this.#round = this.#round.then(() => this.#work());
	}

	/** Called when another process has changed the store. */
	foreignChange(change: ForeignChange): void {
		if (change === 'everything' || change.has('outbox')) this.wake();
		else if (change.has('lane') && this.#heldUp.size > 0) this.wake();
	}

	/**
	 * Stops the worker, releases the deliveries it has not begun to attempt, and resolves when the outcomes of
	 * all attempts are recorded.
	 */
	async stop(): Promise<void> {
		this.#enter('stopped');
		clearTimeout(this.#timer);
		await this.#round;
		while (this.#underWay.size > 0) {
			this.#hurry();
			await this.#recording;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	#enter(mode: Mode): void {
		const before = this.#mode;
		this.#mode = mode;
		if (!MODES_AFTER[before].includes(mode))
			this.#options.onError(new Error(`The outbox became ${mode} from ${before}`));
	}

	/** Starts every due delivery there is room for, and sleeps until the next is due. */
	async #work(): Promise<void> {
		this.#isWoken = false;
		let sleep = LONGEST_SLEEP_MS;
		try {
			for (;;) {
				const room = Math.min(MAX_UNDER_WAY - this.#underWay.size, CLAIMED_AT_ONCE);
				// Without room, the attempts that end wake the worker again.
				const claimed = this.#mode === 'working' && room > 0 ? await this.#claim(room) : [];
				void this.#attemptAll(claimed);
				if (claimed.length < room || room <= 0) break;
			}
			const dueAt = await nextDueAt(this.#options.database.read);
			if (dueAt === undefined) this.#heldUp.clear();
			else sleep = Math.min(Math.max(dueAt - this.#options.now(), 0), LONGEST_SLEEP_MS);
			if (this.#heldUp.size > 0) sleep = Math.min(sleep, HELD_UP_SLEEP_MS);
		} catch (error) {
			this.#options.onError(error);
		}
		if (this.#mode !== 'working') return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.wake(), Math.max(sleep, 100));
	}

	async #claim(limit: number): Promise<OutgoingDelivery[]> {
		const { database, holdBack, now } = this.#options;
		const at = now();
		const dueAt = await nextDueAt(database.read);
		if (dueAt === undefined || dueAt > at) return [];
		const claimed = await database.write(null, async (db) =>
			holdBack(db, await claimDue(db, { now: at, leaseMs: LEASE_MS, limit }), at),
		);
		for (const delivery of claimed) {
			if (delivery.message.lane !== null) this.#heldUp.add(laneKey(delivery));
		}
		// The outcome of one may already be stored, though this process does not know yet.
		if (claimed.some(({ id }) => this.#underWay.has(id))) await this.#recording;
		// A lease that expired during an attempt of this process is only extended.
		return claimed.filter(({ id }) => !this.#underWay.has(id));
	}

	/** Attempts each in its turn; resolves when all have been attempted. */
	#attemptAll(
		deliveries: readonly OutgoingDelivery[],
		onOutcome?: (id: number, outcome: Outcome) => void,
	): Promise<void> {
		let left = deliveries.length;
		if (left === 0) return Promise.resolve();
		for (const { id } of deliveries) this.#underWay.move(id, undefined, 'queued');
		return new Promise((resolve) => {
			const made = (delivery: OutgoingDelivery, outcome: Outcome | undefined) => {
				this.#underWay.move(delivery.id, outcome ? 'attempting' : 'queued', 'attempted');
				if (outcome) onOutcome?.(delivery.id, outcome);
				this.#attempted.push({ delivery, outcome });
				this.#recording ??= this.#record();
				if (delivery.message.lane !== null) this.#hurry();
				left -= 1;
				if (left === 0) resolve();
			};
			for (const [gateway, some] of Map.groupBy(deliveries, this.#options.gatewayFor)) {
				const slots = this.#slotsOf(gateway);
				const begin = (delivery: OutgoingDelivery) =>
					void this.#tryToDeliver(gateway, delivery).then((outcome) => {
						slots.give();
						made(delivery, outcome);
					});
				// Most of ten thousand deliveries wait for their turn, so nothing is allocated for one that waits.
				slots.take(some, begin);
			}
		});
	}

	/** @returns undefined if its turn at the gateway came too late in the lease */
	async #tryToDeliver(gateway: Gateway, delivery: OutgoingDelivery): Promise<Outcome | undefined> {
		const left = (delivery.leasedUntil ?? 0) - this.#options.now();
		if (left < ATTEMPT_LIMIT_MS || this.#mode === 'stopped') return undefined;
		this.#underWay.move(delivery.id, 'queued', 'attempting');
		let outcome: Outcome;
		try {
			outcome = await gateway.deliver(delivery);
		} catch (error) {
			outcome = { kind: 'retry', reason: error instanceof Error ? error.message : String(error) };
		}
		this.#options.onAttempt?.(gateway, outcome);
		return outcome;
	}

	#slotsOf(gateway: Gateway): Slots<OutgoingDelivery> {
		const slots =
			this.#slots.get(gateway) ?? new Slots<OutgoingDelivery>(gateway.maxOpen ?? Infinity);
		this.#slots.set(gateway, slots);
		return slots;
	}

	/**
	 * Records outcomes until none is left. One recording runs at a time: those that arrive during its transaction
	 * share the next.
	 */
	async #record(): Promise<void> {
		let mustWake = this.#underWay.size >= MAX_UNDER_WAY;
		while (this.#attempted.length > 0) {
			await this.#gather();
			const batch = this.#attempted.splice(0);
			await recordOutcomes(this.#options, batch);
			for (const one of batch) if (this.#forget(one)) mustWake = true;
		}
		this.#recording = undefined;
		if (mustWake) this.wake();
	}

	/**
	 * Leaves more outcomes the time to share the transaction: `RECORD_EVERY_MS` from the last one on. Does not wait
	 * after a pause, nor while the next delivery of a lane waits for one of these outcomes; `#hurry` ends the wait.
	 */
	async #gather(): Promise<void> {
		const isAwaited = this.#attempted.some(({ delivery }) => delivery.message.lane !== null);
		const wait = isAwaited ? 0 : this.#recordedAt + RECORD_EVERY_MS - performance.now();
		// Attempts that end in the same turn share a transaction in any case.
		if (wait <= 0) await Promise.resolve();
		else await isDoneWithin(wait, new Promise<void>((resolve) => (this.#hurry = resolve)));
		this.#hurry = () => undefined;
		this.#recordedAt = performance.now();
	}

	/** Forgets a delivery whose outcome is recorded. @returns whether its end gives the worker something to do */
	#forget({ delivery: { id, device, message }, outcome }: Attempted): boolean {
		const { database } = this.#options;
		this.#underWay.move(id, 'attempted', undefined);
		if (outcome === undefined) {
			// Given back: another process may take it up now.
			database.announce('outbox');
			return true;
		}
		// Its next attempt may be the first that is due.
		if (outcome.kind === 'retry') return true;
		if (message.lane === null) return false;
		// The next of the lane may go, here or in another process.
		database.announce('lane');
		return this.#heldUp.delete(laneKey({ device, message }));
	}
}

function laneKey({ device, message }: Pick<OutgoingDelivery, 'device' | 'message'>): string {
	return `${device.id} ${message.lane ?? ''}`;
}
