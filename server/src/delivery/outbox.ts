import type { ForeignChange } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import type { OutgoingDelivery } from '../store/outbox/outbox.ts';
import type { Db } from '../store/schema.ts';
import { claimDue, type ClaimedDelivery, nextDueAt } from '../store/outbox/outbox-claims.ts';
import { ATTEMPT_LIMIT_MS, type Gateway, isTaken, type Outcome } from './gateway.ts';
import { type Attempted, recordOutcomes } from './outcomes.ts';
import { Slots } from '../slots.ts';

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
	/** Marks those of claimed deliveries that must not interrupt any more. @returns all of them */
	holdBack: (
		db: Db,
		claimed: readonly ClaimedDelivery[],
		now: number,
	) => Promise<OutgoingDelivery[]>;
	now: () => number;
	/** Milliseconds `deliverNow` waits for the first attempts (docs/api-decisions.md "Recipients and counts"). */
	firstAttemptMs: number;
	onError: (error: unknown) => void;
	/** Called after every attempt with its outcome. */
	onAttempt?: ((gateway: Gateway, outcome: Outcome) => void) | undefined;
}

/** Outcomes of the first attempts that finished in time, by delivery id. */
export type FirstAttempts = ReadonlyMap<number, Outcome>;

/**
 * Carries stored deliveries to their gateways. Durable and at least once: a delivery is pending in the store
 * until an outcome is recorded, and deliveries pending when a process dies are taken up by the next process's
 * worker. Deliveries of one lane reach their device in turn.
 */
export class Outbox {
	readonly #options: OutboxOptions;
	readonly #underWay = new Set<number>();
	/** Lanes in which another delivery may be waiting for the one under way. */
	readonly #heldUp = new Set<string>();
	readonly #slots = new Map<Gateway, Slots<OutgoingDelivery>>();
	#attempted: Attempted[] = [];
	#recording: Promise<void> | undefined;
	#recordedAt = -Infinity;
	/** Ends the wait for more outcomes. */
	#hurry: () => void = () => undefined;
	#timer: NodeJS.Timeout | undefined;
	#running = false;
	/** True once nothing more is begun: deliveries waiting for their turn are left to other processes. */
	#isStopping = false;
	#isWoken = false;
	#round: Promise<void> = Promise.resolve();

	constructor(options: OutboxOptions) {
		this.#options = options;
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
		let timer: NodeJS.Timeout | undefined;
		const timeUp = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, this.#options.firstAttemptMs);
		});
		await Promise.race([finished, timeUp]);
		clearTimeout(timer);
		// Later outcomes are not first attempts.
		return outcomes.size === leased.length ? outcomes : new Map(outcomes);
	}

	/** Claims the due deliveries and attempts them. @returns the number of deliveries attempted */
	async runOnce(): Promise<number> {
		this.#isStopping = false;
		const claimed = await this.#claim(CLAIMED_AT_ONCE);
		await this.#attemptAll(claimed);
		await this.#recording;
		return claimed.length;
	}

	start(): void {
		this.#running = true;
		this.#isStopping = false;
		this.wake();
	}

	/** Looks for due deliveries now, rather than when the next is known to be due. */
	wake(): void {
		if (!this.#running || this.#isWoken) return;
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
		this.#running = false;
		this.#isStopping = true;
		clearTimeout(this.#timer);
		await this.#round;
		while (this.#underWay.size > 0) {
			this.#hurry();
			await this.#recording;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	/** Starts every due delivery there is room for, and sleeps until the next is due. */
	async #work(): Promise<void> {
		this.#isWoken = false;
		let sleep = LONGEST_SLEEP_MS;
		try {
			for (;;) {
				const room = Math.min(MAX_UNDER_WAY - this.#underWay.size, CLAIMED_AT_ONCE);
				// Without room, the attempts that end wake the worker again.
				const claimed = this.#running && room > 0 ? await this.#claim(room) : [];
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
		if (!this.#running) return;
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
		for (const { id } of deliveries) this.#underWay.add(id);
		return new Promise((resolve) => {
			const made = (delivery: OutgoingDelivery, outcome: Outcome | undefined) => {
				if (outcome) onOutcome?.(delivery.id, outcome);
				this.#attempted.push({ delivery, outcome });
				this.#recording ??= this.#record();
				if (delivery.message.lane !== null) this.#hurry();
				left -= 1;
				if (left === 0) resolve();
			};
			for (const [gateway, some] of Map.groupBy(deliveries, this.#options.gatewayFor))
				this.#attemptThrough(gateway, some, made);
		});
	}

	/** Most of ten thousand deliveries wait for their turn, so nothing is allocated for one that waits. */
	#attemptThrough(
		gateway: Gateway,
		deliveries: readonly OutgoingDelivery[],
		made: (delivery: OutgoingDelivery, outcome: Outcome | undefined) => void,
	): void {
		const slots = this.#slotsOf(gateway);
		const begin = (delivery: OutgoingDelivery) =>
			void this.#tryToDeliver(gateway, delivery).then((outcome) => {
				slots?.give();
				made(delivery, outcome);
			});
		if (slots) slots.take(deliveries, begin);
		else for (const delivery of deliveries) begin(delivery);
	}

	/** @returns undefined if its turn at the gateway came too late in the lease */
	async #tryToDeliver(gateway: Gateway, delivery: OutgoingDelivery): Promise<Outcome | undefined> {
		const left = (delivery.leasedUntil ?? 0) - this.#options.now();
		if (left < ATTEMPT_LIMIT_MS || this.#isStopping) return undefined;
		let outcome: Outcome;
		try {
			outcome = await gateway.deliver(delivery);
		} catch (error) {
			outcome = { kind: 'retry', reason: error instanceof Error ? error.message : String(error) };
		}
		this.#options.onAttempt?.(gateway, outcome);
		return outcome;
	}

	#slotsOf(gateway: Gateway): Slots<OutgoingDelivery> | undefined {
		if (gateway.maxOpen === undefined) return undefined;
		const slots = this.#slots.get(gateway) ?? new Slots<OutgoingDelivery>(gateway.maxOpen);
		this.#slots.set(gateway, slots);
		return slots;
	}

	async #store(accountId: string | null, attempts: readonly Attempted[]): Promise<void> {
		const { database, now, onError } = this.#options;
		try {
			await database.write(accountId, (db) => recordOutcomes(db, attempts, now()));
		} catch (error) {
			// Still pending in the store: attempted again when the lease ends.
			onError(error);
		}
	}

	/** Records outcomes; those that arrive meanwhile go into the next transaction. */
	async #record(): Promise<void> {
		let hasMore = this.#underWay.size >= MAX_UNDER_WAY;
		while (this.#attempted.length > 0) {
			await this.#furtherOutcomes();
			const batch = this.#attempted.splice(0);
			await Promise.all([...byScope(batch)].map(([scope, some]) => this.#store(scope, some)));
			for (const { delivery, outcome } of batch) {
				this.#underWay.delete(delivery.id);
				const isOver = outcome !== undefined && outcome.kind !== 'retry';
				if (!isOver) hasMore = true;
				// Another process may take it up now.
				if (outcome === undefined) this.#options.database.announce('outbox');
				if (isOver && delivery.message.lane !== null) {
					if (this.#heldUp.delete(laneKey(delivery))) hasMore = true;
					this.#options.database.announce('lane');
				}
			}
		}
		this.#recording = undefined;
		if (hasMore) this.wake();
	}

	/** Right after a recording, waits for more outcomes to record together. */
	async #furtherOutcomes(): Promise<void> {
		const wait = this.#recordedAt + RECORD_EVERY_MS - performance.now();
		// The next delivery of the lane waits for this outcome.
		const isAwaited = this.#attempted.some(({ delivery }) => delivery.message.lane !== null);
		// Attempts that end together share a transaction in any case.
		if (wait <= 0 || isAwaited) await Promise.resolve();
		else {
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, wait);
				this.#hurry = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		this.#hurry = () => undefined;
		this.#recordedAt = performance.now();
	}
}

/**
 * Groups attempts by the account whose other writes their outcome depends on: a failed delivery may be
 * superseded by a newer one, or wait for a token. One that was taken, or not attempted, depends on nothing.
 */
function byScope(attempts: readonly Attempted[]): Map<string | null, Attempted[]> {
	return Map.groupBy(attempts, ({ delivery, outcome }) =>
		outcome === undefined || isTaken(outcome) ? null : delivery.message.account_id,
	);
}

function laneKey({ device, message }: OutgoingDelivery): string {
	return `${device.id} ${message.lane ?? ''}`;
}
