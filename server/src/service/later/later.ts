import { BoundedMap } from '../../collections.ts';
import { backoffMs } from '../../delivery/gateway.ts';
import { inSlot, Slots } from '../../slots.ts';
import type { Due, DueRows } from '../../store/due.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import type { Db } from '../../store/schema.ts';
import { type Context, timeOf } from '../context.ts';
import { toStorageFailure } from '../refusal.ts';

/** Milliseconds between two polls for due rows. */
const POLL_EVERY_MS = 1_000;

/** Rows found by a query. */
const FOUND_AT_ONCE = 500;

/** Rows handled in a write, which blocks the others for some milliseconds. */
const HANDLED_AT_ONCE = 20;

/** Accounts served at the same time, so that requests find a free connection to the store. */
const ACCOUNTS_AT_ONCE = 5;

/** Maximum failed rows remembered. */
const MAX_FAILED = 10_000;

type OnError = (error: unknown, what: string) => void;

/** What happens once a write is committed. */
interface Handled {
	/** Deliveries to attempt. */
	deliveries?: readonly OutgoingDelivery[];
	/** Called then: wakes open pages and waiting requests, or delivers. */
	announce?: () => void;
	/** Calls of other servers; each stores its outcome. */
	calls?: ReadonlyArray<() => Promise<void>>;
}

/** Something that happens later, to rows that become due. */
export interface LaterKind<R = object> {
	/** Names the kind in errors, as in "repeating pushes failed". */
	what: string;
	rows: DueRows<R>;
	/** Maximum concurrent calls per owner within the account, per account and in total; absent: it makes none. */
	calls?: { perOwner: number; perAccount: number; total: number };
	/**
	 * Handles rows that are due, and stores their next time or deletes them. For a row that makes a call to another server,
	 * the next time is a lease: the call is made again if its outcome is not stored by then.
	 * @param db of a write of the account
	 * @param due `time` in milliseconds since 1970
	 */
	handle(
		db: Db,
		due: { context: Context; accountId: string; rows: R[]; time: number },
	): Promise<Handled>;
}

/**
 * Runs scheduled work: deadlines, reminders, repeats, callbacks and so on (`kinds.ts`). Each is a row with a time,
 * in the table of its subject:
 *
 *     waiting ──its time──> due ──handle──> gone, or waiting for a later time
 *                            │ ▲
 *                       throws back-off
 *                            ▼ │
 *                        backing off
 *
 * - Every second the due rows of each kind are found, in the order of time, unless the kind is still busy with the last
 *   ones. Kinds do not wait for each other; an account waits only while several others are served.
 * - `handle` runs in a write of the account, for rows that have not changed since they were found: of several servers,
 *   one handles each. All that follows is in this write, so a kill loses nothing: deliveries continue in the outbox, and
 *   a call has a lease.
 * - Rows of an account share writes. If one throws, each of its rows gets its own. A row that throws then is logged, and
 *   this process backs off, for some seconds at first and an hour at most. The other rows are not affected.
 * - A failure of the store is not the fault of a row: the kind continues with the next poll.
 */
export class Later {
	readonly #context: Context;
	readonly #kinds: readonly KindWorker[];
	readonly #onError: OnError;
	#timer: NodeJS.Timeout | undefined;

	/** @param onError receives the errors of rows and of the store */
	constructor(context: Context, kinds: readonly LaterKind[], onError: OnError) {
		this.#context = context;
		this.#kinds = kinds.map((kind) => new KindWorker(kind, context, onError));
		this.#onError = onError;
	}

	start(): void {
		const poll = () => void this.runOnce();
		this.#timer = setInterval(poll, POLL_EVERY_MS);
		poll();
	}

	/** Starts no further work. @returns once the outcome of what has begun is stored */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await Promise.all(this.#kinds.map((kind) => kind.stop()));
	}

	/** Handles what is due. @returns the number of deliveries that kinds return, once they are attempted and calls have ended */
	async runOnce(): Promise<number> {
		try {
			const time = await timeOf(this.#context.database.read, this.#context);
			const counts = await Promise.all(this.#kinds.map((kind) => kind.handleDue(time)));
			await Promise.all(this.#kinds.map((kind) => kind.callsEnded()));
			return counts.reduce((sum, count) => sum + count, 0);
		} catch (error) {
			this.#onError(error, 'looking for what is due');
			return 0;
		}
	}
}

class KindWorker {
	readonly #kind: LaterKind;
	readonly #context: Context;
	readonly #onError: OnError;
	/** How often a row has failed, and the end of its back-off. */
	readonly #failed = new BoundedMap<string, { tries: number; until: number }>(MAX_FAILED);
	/** Calls of other servers, and deliveries of a phone's owner, in progress. */
	readonly #calls = new Set<{ accountId: string; owner: unknown; ended: Promise<void> }>();
	#handling: Promise<number> | undefined;
	#isStopped = false;

	constructor(kind: LaterKind, context: Context, onError: OnError) {
		this.#kind = kind;
		this.#context = context;
		this.#onError = onError;
	}

	/** Handles the rows that are due, unless it is still handling earlier ones. @returns the number of deliveries */
	handleDue(time: number): Promise<number> {
		this.#handling ??= this.#handleAll(time)
			.catch((error: unknown) => (this.#onError(error, this.#kind.what), 0))
			.finally(() => (this.#handling = undefined));
		return this.#handling;
	}

	async callsEnded(): Promise<void> {
		await Promise.all([...this.#calls].map(({ ended }) => ended));
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#handling;
		await this.callsEnded();
	}

	async #handleAll(time: number): Promise<number> {
		const { rows, calls } = this.#kind;
		let [deliveries, skip] = [0, 0];
		let found: Due[];
		do {
			found = await rows.find(this.#context.database.read, { time, limit: FOUND_AT_ONCE, skip });
			const handle = async (accountId: string, ofAccount: Due[]) => {
				for (const [owner, due] of Map.groupBy(ofAccount, (row) => row[rows.owner])) {
					while (due.length > 0) {
						const batch = due.splice(0, this.#room(accountId, owner));
						if (batch.length === 0) break;
						const delivered = await this.#handle(accountId, batch, time);
						deliveries += delivered;
					}
					// These stay due: the next query must not find them again.
					skip += due.length;
				}
			};
			const backsOffUntil = (row: Due) => this.#failed.get(this.#nameOf(row))?.until ?? 0;
			const ready = found.filter((row) => backsOffUntil(row) <= time);
			// One account after the other, so that no more calls are made than allowed.
			await forEachAccount(ready, handle, calls ? 1 : ACCOUNTS_AT_ONCE);
			skip += found.length - ready.length;
		} while (found.length === FOUND_AT_ONCE && !this.#isStopped);
		return deliveries;
	}

	/** The number of rows of an owner that may be handled now. */
	#room(accountId: string, owner: unknown): number {
		if (this.#isStopped) return 0;
		const { calls: most } = this.#kind;
		if (!most) return HANDLED_AT_ONCE;
		const ofAccount = [...this.#calls].filter((call) => call.accountId === accountId);
		const ofOwner = ofAccount.filter((call) => call.owner === owner);
		const left = Math.min(most.perOwner - ofOwner.length, most.perAccount - ofAccount.length);
		return Math.max(Math.min(HANDLED_AT_ONCE, left, most.total - this.#calls.size), 0);
	}

	/** Handles rows in one write or, if it throws, each in its own. @returns the number of deliveries */
	async #handle(accountId: string, found: readonly Due[], time: number): Promise<number> {
		const context = this.#context;
		let handled: Handled;
		try {
			handled = await context.database.write(accountId, async (db) => {
				const rows = await this.#kind.rows.take(db, found);
				if (rows.length === 0) return {};
				const due = { context, accountId, rows, time: await timeOf(db, context) };
				return this.#kind.handle(db, due);
			});
		} catch (error) {
			if (toStorageFailure(error)) throw error;
			const [row, ...others] = found;
			if (row && others.length === 0) {
				const name = this.#nameOf(row);
				const tries = (this.#failed.get(name)?.tries ?? 0) + 1;
				this.#failed.set(name, { tries, until: time + backoffMs(tries) });
				this.#onError(error, name);
				return 0;
			}
			let deliveries = 0;
			for (const due of found) deliveries += await this.#handle(accountId, [due], time);
			return deliveries;
		}
		for (const row of found) this.#failed.delete(this.#nameOf(row));
		const { deliveries = [], calls = [], announce } = handled;
		announce?.();
		const deliver = async () => {
			await context.outbox.deliverNow(deliveries);
		};
		for (const call of deliveries.length > 0 ? [...calls, deliver] : calls)
			this.#begin(accountId, found[0]?.[this.#kind.rows.owner], call);
		return deliveries.length;
	}

	#begin(accountId: string, owner: unknown, call: () => Promise<void>): void {
		const ended = call()
			// Its lease expires, and the call is made again.
			.catch((error: unknown) => this.#onError(error, this.#kind.what))
			.finally(() => this.#calls.delete(inProgress));
		const inProgress = { accountId, owner, ended };
		this.#calls.add(inProgress);
	}

	/** Identifies a row, here and in the log. */
	#nameOf(row: Due): string {
		return `${this.#kind.what} (${Object.values(row).join(' ')})`;
	}
}

/**
 * Works through the accounts that own the rows, several at a time, so that a gateway that hangs for one account does
 * not delay the others.
 * @throws AggregateError if the work failed for some accounts, once it has ended for all
 */
export async function forEachAccount<R extends { account_id: string }>(
	rows: readonly R[],
	work: (accountId: string, rows: R[]) => Promise<void>,
	atOnce = ACCOUNTS_AT_ONCE,
) {
	const accounts = Map.groupBy(rows, ({ account_id: id }) => id);
	const slots = new Slots<() => void>(atOnce);
	const ended = await Promise.allSettled(
		[...accounts].map(([id, ofAccount]) => inSlot(slots, () => work(id, ofAccount))),
	);
	const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
	if (errors.length > 0)
		throw new AggregateError(errors, `Failed for ${errors.length} of ${accounts.size} accounts`);
}
