import { DAY_MS, HOUR_MS } from '../../durations.ts';
import type { RequestCountRow } from '../../store/schema.ts';
import type { Database } from '../../store/database.ts';
import { type KeyUse, noteKeyUses } from '../../store/keys-and-channels/api-keys.ts';
import { accountsAmong, addRequestCounts } from '../../store/accounts/accounts.ts';

/** Retention of the counts. */
const KEPT_MS = 30 * DAY_MS;

/**
 * Milliseconds to gather counts before they are stored. Storing each immediately would make every
 * request write twice. A killed server loses only the statistics of its last second.
 */
const GATHER_MS = 1_000;

/** Characters of a refusal that are kept. */
const KEPT_REFUSAL = 500;

/** Matches keys: a refusal quotes one that was sent as the name of a channel. */
const KEYS = /\bb[ks]_[\w-]+/g;

/** Dependencies of a write that no request waits for. */
export interface Options {
	database: Database;
	now: () => number;
	onError: (error: unknown) => void;
}

/**
 * Counts requests per account, hour, feature and status, for the console's chart, and keeps the
 * outcomes of the last requests with a key, for the key's page.
 */
export class RequestCounts {
	readonly #options: Options;
	#gathered = new Map<string, RequestCountRow>();
	#keyUses = new Map<string, KeyUse>();
	#timer: NodeJS.Timeout | undefined;
	#storing: Promise<void> = Promise.resolve();

	constructor(options: Options) {
		this.#options = options;
	}

	add(accountId: string, feature: string, status: number): void {
		const hour = this.#options.now() - (this.#options.now() % HOUR_MS);
		const key = `${accountId} ${hour} ${feature} ${status}`;
		const row = this.#gathered.get(key);
		if (row) row.requests += 1;
		else this.#gathered.set(key, { account_id: accountId, hour, feature, status, requests: 1 });
		this.#startTimer();
	}

	/** @param refusal why the request was rejected; undefined: it was accepted */
	noteKeyUse(keyId: string, refusal: string | undefined): void {
		const now = this.#options.now();
		const reason = refusal?.replace(KEYS, '…').slice(0, KEPT_REFUSAL);
		const use = reason === undefined ? { accepted_at: now } : { refused_at: now, refusal: reason };
		this.#keyUses.set(keyId, { ...this.#keyUses.get(keyId), ...use });
		this.#startTimer();
	}

	#startTimer(): void {
		this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
	}

	/** Stores the counts gathered so far. Flushes run one at a time, as they change the same rows. */
	flush(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#storing = this.#storing.then(() => this.#store());
		return this.#storing;
	}

	async #store(): Promise<void> {
		const rows = [...this.#gathered.values()];
		// Always in this order, so two servers cannot deadlock on each other's rows.
		const uses = [...this.#keyUses]
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([id, use]) => ({ id, ...use }));
		this.#gathered = new Map();
		this.#keyUses = new Map();
		if (rows.length === 0 && uses.length === 0) return;
		const { database, now, onError } = this.#options;
		try {
			await database.write(null, async (db) => {
				// An account may have been deleted since.
				const ids = new Set(rows.map(({ account_id: id }) => id));
				const present = await accountsAmong(db, [...ids]);
				const counts = rows.filter(({ account_id: id }) => present.has(id));
				if (counts.length > 0) await addRequestCounts(db, counts, now() - KEPT_MS);
				await noteKeyUses(db, uses);
			});
		} catch (error) {
			onError(error);
		}
	}
}
