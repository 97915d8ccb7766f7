import type { ForeignChange } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import type { OutgoingDelivery } from '../store/outbox/outbox.ts';
import { claimDue, nextDueAt } from '../store/outbox/outbox-claims.ts';
import { ATTEMPT_LIMIT_MS, type Gateway, isTaken, type Outcome } from './gateway.ts';
import { type Attempted, recordOutcomes } from './outcomes.ts';
import { Slots } from './slots.ts';

/**
 * How long a delivery belongs to the one who attempts it. When a process dies, its deliveries are
 * taken up by another after that.
 */
export const LEASE_MS = 30_000;

const CLAIMED_AT_ONCE = 500;

/** Deliveries that the worker has under way at a time: what it may lose time on after a crash. */
const MOST_UNDER_WAY = 2_000;

/** Outcomes that come in within this time of a recording share the next one's transaction. */
const RECORD_EVERY_MS = 250;

/** Longest sleep while one delivery waits for another, which may be under way in another process. */
const HELD_UP_SLEEP_MS = 1_000;

/** Longest sleep of the worker: a bound on how late it sees what a killed server leaves, or a clock set back. */
const LONGEST_SLEEP_MS = LEASE_MS;

export interface OutboxOptions {
	database: Database;
	gatewayOf: (delivery: OutgoingDelivery) => Gateway;
	now: () => number;
	/** How long `deliverNow` waits for the first attempts (docs/api-decisions.md "Recipients and counts"). */
	firstAttemptMs: number;
	onError: (error: unknown) => void;
	/** Told of every attempt and what became of it. */
	onAttempt?: ((gateway: Gateway, outcome: Outcome) => void) | undefined;
}

/** What became of the first attempts that finished in time, by delivery id. */
export type FirstAttempts = ReadonlyMap<number, Outcome>;

/**
 * Carries stored deliveries to their gateways. Durable and at least once: a delivery is pending
 * in the store until an outcome is recorded, and whatever is pending when a process dies is taken
 * up by the worker of the next. Deliveries of one lane reach their device one after another.
 */
export class Outbox {
	readonly #options: OutboxOptions;
	readonly #underWay = new Set<number>();
	/** Lanes in which another delivery may wait for the one that is under way. */
	readonly #heldUp = new Set<string>();
	readonly #slots = new Map<Gateway, Slots<OutgoingDelivery>>();
	#attempted: Attempted[] = [];
	#recording: Promise<void> | undefined;
	#recordedAt = -Infinity;
	/** Ends the wait for further outcomes. */
	#hurry: () => void = () => undefined;
	#timer: NodeJS.Timeout | undefined;
	#running = false;
	/** Nothing more is begun: what waits for its turn is left to others. */
	#isStopping = false;
	#isWoken = false;
	#round: Promise<void> = Promise.resolve();

	constructor(options: OutboxOptions) {
		this.#options = options;
	}

	/** First attempts for deliveries stored just now; resolves when they are made or time is up. */
	async deliverNow(deliveries: readonly OutgoingDelivery[]): Promise<FirstAttempts> {
		const heldUp = deliveries.filter(({ leasedUntil }) => leasedUntil === null);
		for (const delivery of heldUp) this.#heldUp.add(laneKey(delivery));
		// The one before may have finished before it could know that this one waits.
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
		// What comes later is not among the first attempts.
		return outcomes.size === leased.length ? outcomes : new Map(outcomes);
	}

	/** Takes up what is due now and carries it out. @returns how many deliveries were attempted */
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

	/** Looks for due deliveries now instead of when the next was known to be due. */
	wake(): void {
		if (!this.#running || this.#isWoken) return;
		this.#isWoken = true;
		clearTimeout(this.#timer);
		this.#round = this.#round.then(() => this.#work());
	}

	/** Another process has changed the store. */
	foreignChange(change: ForeignChange): void {
		if (change === 'everything' || change.has('outbox')) this.wake();
		else if (change.has('lane') && this.#heldUp.size > 0) this.wake();
	}

	/**
	 * Stops the worker, hands over what it has not begun to attempt, and resolves when the outcomes of
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

	/** Starts whatever is due, as far as there is room, and sleeps until the next is. */
	async #work(): Promise<void> {
		this.#isWoken = false;
		let sleep = LONGEST_SLEEP_MS;
		try {
			for (;;) {
				const room = Math.min(MOST_UNDER_WAY - this.#underWay.size, CLAIMED_AT_ONCE);
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
		const { database, now } = this.#options;
		const at = now();
		const dueAt = await nextDueAt(database.read);
		if (dueAt === undefined || dueAt > at) return [];
		const claimed = await database.write(null, (db) =>
			claimDue(db, { now: at, leaseMs: LEASE_MS, limit }),
		);
		for (const delivery of claimed) {
			if (delivery.message.lane !== null) this.#heldUp.add(laneKey(delivery));
		}
		// One whose outcome is stored already, although this process has not been told so yet.
		if (claimed.some(({ id }) => this.#underWay.has(id))) await this.#recording;
		// A lease that ran out under an attempt of this very process is only made longer.
		return claimed.filter(({ id }) => !this.#underWay.has(id));
	}

	/** Attempts each at its turn; resolves when all have been attempted. */
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
			for (const [gateway, some] of Map.groupBy(deliveries, this.#options.gatewayOf))
				this.#attemptThrough(gateway, some, made);
		});
	}

	/** Of ten thousand deliveries most wait for their turn, and nothing is made for one that does. */
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

	/** @returns undefined when its turn at the gateway came too late for the lease that is left */
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

	/** Writes outcomes down, those that come in meanwhile with the next transaction. */
	async #record(): Promise<void> {
		let hasMore = this.#underWay.size >= MOST_UNDER_WAY;
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

	/** Right after a recording, waits for outcomes to record with those that are there. */
	async #furtherOutcomes(): Promise<void> {
		const wait = this.#recordedAt + RECORD_EVERY_MS - performance.now();
		// The next of its lane waits for the outcome.
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
 * Attempts by the account on whose other writes their outcome depends: what failed may be replaced by
 * something newer, or wait for a token. What was taken, or not attempted, depends on nothing.
 */
function byScope(attempts: readonly Attempted[]): Map<string | null, Attempted[]> {
	const groups = new Map<string | null, Attempted[]>();
	for (const attempt of attempts) {
		const { delivery, outcome } = attempt;
		const isPlain = outcome === undefined || isTaken(outcome);
		const scope = isPlain ? null : delivery.message.account_id;
		const group = groups.get(scope);
		if (group) group.push(attempt);
		else groups.set(scope, [attempt]);
	}
	return groups;
}

function laneKey({ device, message }: OutgoingDelivery): string {
	return `${device.id} ${message.lane ?? ''}`;
}
