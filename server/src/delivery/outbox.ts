import type { Database, RemoteChange } from '../store/database.ts';
import type { OutgoingDelivery } from '../store/outbox/deliveries.ts';
import type { Db } from '../store/schema.ts';
import { claimDue, nextDueAt } from '../store/outbox/claims.ts';
import { MAX_ATTEMPT_MS, type Gateway, type Outcome, PER_TURN } from './gateway.ts';
import { type Attempt, recordOutcomes } from './outcomes.ts';
import { BlockedLanes } from './blocked-lanes.ts';
import { Slots } from '../slots.ts';
import { BoundedMap, Groups, States } from '../collections.ts';
import { isDoneWithin } from '../durations.ts';

/** Milliseconds a delivery belongs to the process attempting it. If that has died, another then takes it up. */
export const LEASE_MS = 30_000;

const CLAIMED_AT_ONCE = 500;

/** No more deliveries are claimed for an account that has this many in progress: a crash can delay all of them. */
const MAX_OPEN = 2_000;

/** Outcomes that arrive within this time of a recording share the next transaction. */
const RECORD_EVERY_MS = 250;

/** Maximum outcomes of a transaction, which holds up other writes. */
const RECORDED_AT_ONCE = 500;

/** Longest sleep while one delivery waits for another, which may be under way in another process. */
const BLOCKED_SLEEP_MS = 1_000;

/** Longest sleep of the worker: bounds the delay after a server is killed or a clock is set back. */
const MAX_SLEEP_MS = LEASE_MS;

/** Sleep after the first error of the store; doubles with each further one in a row. */
const ERROR_SLEEP_MS = 250;

interface OutboxOptions {
	database: Database;
	gatewayFor: (delivery: OutgoingDelivery) => Gateway;
	/** Marks the claimed deliveries that must no longer interrupt. @returns all claimed deliveries */
	holdBack: (
		db: Db,
		claimed: readonly OutgoingDelivery[],
		now: number,
	) => Promise<OutgoingDelivery[]>;
	/** Called for each new delivery that waits for an earlier one of its lane: an open page need not. */
	onBlocked?: (delivery: OutgoingDelivery) => void;
	now: () => number;
	/** Milliseconds `deliverNow` waits for the first attempts (docs/api-decisions.md "Recipients and counts"). */
	firstAttemptMs: number;
	/** Receives errors of the store, and violated rules of the outbox itself. */
	onError: (error: unknown) => void;
	/** Called after every attempt with its outcome, and the milliseconds that it took. */
	onAttempt?:
		| ((gateway: Gateway, outcome: Outcome, delivery: OutgoingDelivery, ms: number) => void)
		| undefined;
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
 * Hands stored deliveries to their gateways.
 *
 * The outbox (`Mode`):
 *
 *     passive ──start──> working ──stop──> stopped ──start──> working
 *        └───────────────────stop────────────┴──runOnce──> passive
 *
 * - `passive`: attempts only what `deliverNow` and `runOnce` request, as commands and tests need.
 * - `working`: also claims due deliveries itself, in rounds. Between rounds it sleeps until the next delivery is
 *   due; `wake` ends the sleep.
 * - `stopped`: begins no attempt. Attempts in progress finish, and their outcomes are recorded.
 *
 * A delivery that this process has leased (`Step`):
 *
 *     queued ──> attempting ──> attempted ──> recorded, and forgotten
 *        └──────────────────────────┘
 *
 * - `queued`: waits for a slot of its gateway.
 * - `attempting`: the gateway has it.
 * - `attempted`: its outcome waits to be recorded. A delivery that could not be attempted, because the outbox stops
 *   or too little of the lease is left, has no outcome, and its lease is released.
 *
 * Guarantees:
 * - Nothing is lost: a delivery is pending in the store until its outcome is recorded. After a kill, or where
 *   recording fails, its lease ends after `LEASE_MS`, and any process's worker claims it.
 * - At least once: a kill between an attempt and its recording repeats the attempt. The phone drops the duplicate
 *   by its delivery id.
 * - One attempt at a time: the lease keeps other processes away, and outlasts the attempt, as none begins with less
 *   than `MAX_ATTEMPT_MS` left of it. A delivery in progress here is not begun again.
 * - Deliveries of a lane reach their device in order: only the oldest pending one is claimed (`claimDue`) or, when it
 *   is new, leased (`Lanes.join`). The next follows once its outcome is recorded.
 *
 * A step or mode out of order is reported to `onError`, which fails a test and is logged by a server; the outbox
 * continues, because stopping would delay every delivery.
 */
export class Outbox {
	readonly #options: OutboxOptions;
	readonly #inProgress: States<number, Step>;
	readonly #blocked = new BlockedLanes(LEASE_MS);
	/** The ids of the deliveries in progress, by account. */
	readonly #ofAccounts = new Groups<number>();
	/** Keyed by account; '' has those that all accounts share. An evicted account's last until its deliveries end. */
	readonly #slots = new BoundedMap<string, Map<Gateway, Slots<OutgoingDelivery>>>(10_000);
	#attempted: Attempt[] = [];
	#recording: Promise<void> | undefined;
	#recordedAt = -Infinity;
	/** Ends the wait for more outcomes. */
	#hurry: () => void = () => undefined;
	#timer: NodeJS.Timeout | undefined;
	#mode: Mode = 'passive';
	/** True while a round is asked for and has not begun. */
	#isWoken = false;
	/** Rounds in a row that the store has failed. */
	#errors = 0;
	#round: Promise<void> = Promise.resolve();

	constructor(options: OutboxOptions) {
		this.#options = options;
		this.#inProgress = new States('delivery', options.onError);
	}

	/** Attempts newly stored deliveries for the first time; resolves when all are attempted or time is up. */
	async deliverNow(deliveries: readonly OutgoingDelivery[]): Promise<FirstAttempts> {
		const blocked = deliveries.filter(({ leasedUntil }) => leasedUntil === null);
		this.#blocked.add(blocked);
		for (const delivery of blocked) this.#options.onBlocked?.(delivery);
		// The previous delivery may have finished before it could know that this one waits.
		if (blocked.length > 0) this.wake();

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
		const claimed = await this.#claim();
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
	remoteChange(change: RemoteChange): void {
		if (change === 'everything' || change.has('outbox')) this.wake();
		else if (change.has('lane') && this.#blocked.size > 0) this.wake();
	}

	/**
	 * Stops the worker, releases the deliveries it has not begun to attempt, and resolves when the outcomes of
	 * all attempts are recorded.
	 */
	async stop(): Promise<void> {
		this.#enter('stopped');
		clearTimeout(this.#timer);
		await this.#round;
		while (this.#inProgress.size > 0) {
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
		let sleep = MAX_SLEEP_MS;
		try {
			for (;;) {
				const claimed = this.#mode === 'working' ? await this.#claim() : [];
				void this.#attemptAll(claimed);
				if (claimed.length < CLAIMED_AT_ONCE) break;
			}
			const dueAt = await nextDueAt(this.#options.database.read);
			if (dueAt === undefined) this.#blocked.clear();
			else sleep = Math.min(Math.max(dueAt - this.#options.now(), 0), MAX_SLEEP_MS);
			if (this.#blocked.size > 0) sleep = Math.min(sleep, BLOCKED_SLEEP_MS);
			this.#errors = 0;
		} catch (error) {
			this.#options.onError(error);
			sleep = Math.min(ERROR_SLEEP_MS * 2 ** this.#errors, MAX_SLEEP_MS);
			this.#errors += 1;
		}
		if (this.#mode !== 'working') return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.wake(), Math.max(sleep, 100));
	}

	async #claim(): Promise<OutgoingDelivery[]> {
		const { database, holdBack, now } = this.#options;
		const at = now();
		const dueAt = await nextDueAt(database.read);
		if (dueAt === undefined || dueAt > at) return [];
		// When attempts of these accounts end, they wake the worker again.
		const except = [...this.#ofAccounts].flatMap(([id, { size }]) => (size < MAX_OPEN ? [] : id));
		const options = { leaseMs: LEASE_MS, limit: CLAIMED_AT_ONCE, except };
		const claimed = await database.write(null, async (db) =>
			holdBack(db, await claimDue(db, { now: at, ...options }), at),
		);
		this.#blocked.add(claimed.filter(({ message }) => message.lane !== null));
		// A claimed delivery that is under way here may already have a stored outcome, unknown to this process.
		if (claimed.some(({ id }) => this.#inProgress.has(id))) await this.#recording;
		// A lease that expired during an attempt of this process is only extended.
		return claimed.filter(({ id }) => !this.#inProgress.has(id));
	}

	/** Attempts each in order; resolves when all have been attempted. */
	#attemptAll(
		deliveries: readonly OutgoingDelivery[],
		onOutcome?: (id: number, outcome: Outcome) => void,
	): Promise<void> {
		let left = deliveries.length;
		if (left === 0) return Promise.resolve();
		for (const { id, message } of deliveries) {
			this.#inProgress.move(id, undefined, 'queued');
			this.#ofAccounts.join(message.account_id, id);
		}
		return new Promise((resolve) => {
			const onEnd = (delivery: OutgoingDelivery, outcome: Outcome | undefined) => {
				this.#inProgress.move(delivery.id, outcome ? 'attempting' : 'queued', 'attempted');
				if (outcome) onOutcome?.(delivery.id, outcome);
				this.#attempted.push({ delivery, outcome });
				this.#recording ??= this.#record();
				if (delivery.message.lane !== null) this.#hurry();
				left -= 1;
				if (left === 0) resolve();
			};
			const byAccount = Map.groupBy(deliveries, ({ message }) => message.account_id);
			for (const [accountId, ofAccount] of byAccount)
				for (const [gateway, batch] of Map.groupBy(ofAccount, this.#options.gatewayFor)) {
					const slots = this.#slotsOf(gateway, accountId);
					const begin = (delivery: OutgoingDelivery) =>
						void this.#tryToDeliver(gateway, delivery).then((outcome) => {
							slots.release();
							onEnd(delivery, outcome);
						});
					// Most of ten thousand deliveries wait for their turn, so nothing is allocated for one that waits.
					slots.take(batch, begin);
				}
		});
	}

	/** @returns undefined if its turn at the gateway came too late in the lease */
	async #tryToDeliver(gateway: Gateway, delivery: OutgoingDelivery): Promise<Outcome | undefined> {
		const left = (delivery.leasedUntil ?? 0) - this.#options.now();
		if (left < MAX_ATTEMPT_MS || this.#mode === 'stopped') return undefined;
		this.#inProgress.move(delivery.id, 'queued', 'attempting');
		const begun = performance.now();
		let outcome: Outcome;
		try {
			outcome = await gateway.deliver(delivery);
		} catch (error) {
			outcome = { kind: 'retry', reason: error instanceof Error ? error.message : String(error) };
		}
		this.#options.onAttempt?.(gateway, outcome, delivery, performance.now() - begun);
		return outcome;
	}

	#slotsOf(gateway: Gateway, accountId: string): Slots<OutgoingDelivery> {
		const { maxOpenPerAccount: most, maxOpen = most ?? Infinity, perTurn = PER_TURN } = gateway;
		const owner = most === undefined ? '' : accountId;
		const ofOwner = this.#slots.getOr(owner, () => new Map());
		const slots = ofOwner.get(gateway) ?? new Slots<OutgoingDelivery>(maxOpen, perTurn);
		ofOwner.set(gateway, slots);
		return slots;
	}

	/**
	 * Records outcomes until none is left. One recording runs at a time: those that arrive during its transaction
	 * share the next.
	 */
	async #record(): Promise<void> {
		let mustWake = this.#inProgress.size >= MAX_OPEN;
		while (this.#attempted.length > 0) {
			if (this.#attempted.length < RECORDED_AT_ONCE) await this.#gather();
			const batch = this.#attempted.splice(0, RECORDED_AT_ONCE);
			await recordOutcomes(this.#options, batch);
			for (const attempt of batch) if (this.#forget(attempt)) mustWake = true;
		}
		this.#recording = undefined;
		if (mustWake) this.wake();
	}

	/**
	 * Gives more outcomes time to share the transaction: `RECORD_EVERY_MS` from the last one on. Does not wait after
	 * a pause, nor while the next delivery of a lane waits for one of these outcomes; `#hurry` ends the wait.
	 */
	async #gather(): Promise<void> {
		const isAwaited = this.#attempted.some(({ delivery }) => delivery.message.lane !== null);
		const wait = isAwaited ? 0 : this.#recordedAt + RECORD_EVERY_MS - performance.now();
		// Attempts that end in the same turn share a transaction anyway.
		if (wait <= 0) await Promise.resolve();
		else await isDoneWithin(wait, new Promise<void>((resolve) => (this.#hurry = resolve)));
		this.#hurry = () => undefined;
		this.#recordedAt = performance.now();
	}

	/** Forgets a delivery whose outcome is recorded. @returns whether its end gives the worker something to do */
	#forget({ delivery: { id, device, message }, outcome }: Attempt): boolean {
		this.#inProgress.move(id, 'attempted', undefined);
		this.#ofAccounts.leave(message.account_id, id);
		if (outcome === undefined) {
			// Its lease was released: another process may attempt it now.
			this.#options.database.announce('outbox');
			return true;
		}
		// Its next attempt may be the first that is due.
		if (outcome.kind === 'retry' || outcome.kind === 'told') return true;
		if (message.lane === null) return false;
		// The next of the lane may go, here or in another process.
		this.#options.database.announce('lane');
		return this.#blocked.settle({ device, message });
	}
}
