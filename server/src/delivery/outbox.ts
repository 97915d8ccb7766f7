import type { Database } from '../store/database.ts';
import { markDisconnected } from '../store/devices.ts';
import {
	dueDeliveries,
	markDelivered,
	markFailed,
	markForRetry,
	nextDueAt,
	type OutgoingDelivery,
} from '../store/outbox.ts';
import { backoffMs, MAX_ATTEMPTS } from './backoff.ts';
import type { Gateway, Outcome } from './gateway.ts';

/** How long a request's own first attempt has the delivery to itself before the worker may take it up. */
export const FIRST_ATTEMPT_LEASE_MS = 30_000;

const DUE_AT_ONCE = 500;

/** Longest sleep of the worker: a bound on how late it sees a clock that was set back. */
const LONGEST_SLEEP_MS = 60_000;

export interface OutboxOptions {
	database: Database;
	gatewayOf: (delivery: OutgoingDelivery) => Gateway;
	now: () => number;
	/** How long `deliverNow` waits for the first attempts (decisions.md "Counts and delivery"). */
	firstAttemptMs: number;
	onError: (error: unknown) => void;
}

/** What became of the first attempts that finished in time, by delivery id. */
export type FirstAttempts = ReadonlyMap<number, Outcome>;

/**
 * Carries stored deliveries to their gateways. Durable and at least once: a delivery is pending
 * in the store until an outcome is recorded, and whatever is pending when a process dies is taken
 * up by the worker of the next.
 */
export class Outbox {
	readonly #options: OutboxOptions;
	readonly #inFlight = new Set<number>();
	readonly #background = new Set<Promise<void>>();
	#timer: NodeJS.Timeout | undefined;
	#running = false;
	#round: Promise<void> = Promise.resolve();

	constructor(options: OutboxOptions) {
		this.#options = options;
	}

	/** First attempts for deliveries stored just now; resolves when they are made or time is up. */
	async deliverNow(deliveries: readonly OutgoingDelivery[]): Promise<FirstAttempts> {
		const outcomes = new Map<number, Outcome>();
		const finished = this.#attemptAll(deliveries, outcomes);
		const recorded = finished.then(() => this.#record(deliveries, outcomes));
		this.#inBackground(recorded);
		let timer: NodeJS.Timeout | undefined;
		const timeUp = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, this.#options.firstAttemptMs);
		});
		await Promise.race([finished, timeUp]);
		clearTimeout(timer);
		return new Map(outcomes);
	}

	/** Takes up what is due now. @returns how many deliveries were attempted */
	async runOnce(): Promise<number> {
		const due = await dueDeliveries(this.#options.database.read, this.#options.now(), DUE_AT_ONCE);
		const free = due.filter((delivery) => !this.#inFlight.has(delivery.id));
		const outcomes = new Map<number, Outcome>();
		await this.#attemptAll(free, outcomes);
		await this.#record(free, outcomes);
		return free.length;
	}

	start(): void {
		this.#running = true;
		this.wake();
	}

	/** Looks for due deliveries now instead of when the next was known to be due. */
	wake(): void {
		if (!this.#running) return;
		clearTimeout(this.#timer);
		this.#round = this.#round.then(() => this.#work());
	}

	/** Stops the worker and resolves when the outcomes of all attempts are recorded. */
	async stop(): Promise<void> {
		this.#running = false;
		clearTimeout(this.#timer);
		await this.#round;
		while (this.#background.size > 0) await Promise.all(this.#background);
	}

	async #work(): Promise<void> {
		let sleep = LONGEST_SLEEP_MS;
		try {
			while (this.#running && (await this.runOnce()) > 0);
			const dueAt = await nextDueAt(this.#options.database.read);
			if (dueAt !== undefined)
				sleep = Math.min(Math.max(dueAt - this.#options.now(), 0), LONGEST_SLEEP_MS);
		} catch (error) {
			this.#options.onError(error);
		}
		if (!this.#running) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.wake(), Math.max(sleep, 100));
	}

	async #attemptAll(
		deliveries: readonly OutgoingDelivery[],
		outcomes: Map<number, Outcome>,
	): Promise<void> {
		await Promise.all(
			deliveries.map(async (delivery) => {
				this.#inFlight.add(delivery.id);
				try {
					outcomes.set(delivery.id, await this.#options.gatewayOf(delivery).deliver(delivery));
				} catch (error) {
					const reason = error instanceof Error ? error.message : String(error);
					outcomes.set(delivery.id, { kind: 'retry', reason });
				}
			}),
		);
	}

	async #record(deliveries: readonly OutgoingDelivery[], outcomes: FirstAttempts): Promise<void> {
		if (deliveries.length === 0) return;
		const now = this.#options.now();
		try {
			await this.#options.database.write(async (db) => {
				const delivered: number[] = [];
				for (const { id, attempts, device } of deliveries) {
					const outcome = outcomes.get(id);
					if (outcome?.kind === 'delivered') delivered.push(id);
					else if (outcome?.kind === 'retry' && attempts + 1 < MAX_ATTEMPTS) {
						const nextAttemptAt = now + backoffMs(attempts + 1);
						await markForRetry(db, id, {
							attempts: attempts + 1,
							nextAttemptAt,
							reason: outcome.reason,
						});
					} else if (outcome) await markFailed(db, id, outcome.reason);
					if (outcome?.kind === 'gone') await markDisconnected(db, device.id);
				}
				await markDelivered(db, delivered, now);
			});
		} finally {
			for (const { id } of deliveries) this.#inFlight.delete(id);
		}
		if ([...outcomes.values()].some((outcome) => outcome.kind === 'retry')) this.wake();
	}

	#inBackground(work: Promise<void>): void {
		const tracked = work
			.catch(this.#options.onError)
			.finally(() => this.#background.delete(tracked));
		this.#background.add(tracked);
	}
}
