import type { RequestCountRow } from '../store/console-tables.ts';
import type { Database } from '../store/database.ts';
import { addRequestCounts } from '../store/accounts/request-counts.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** Retention of the counts. */
const KEPT_MS = 30 * 24 * HOUR_MS;

/**
 * Milliseconds that counts are gathered before they are stored. Storing each at once would make every
 * request write twice. A killed server loses only the statistics of its last second.
 */
const GATHER_MS = 1_000;

interface Options {
	database: Database;
	now: () => number;
	onError: (error: unknown) => void;
}

/** Counts requests of the public API per account, hour, feature and status, for the console's chart. */
export class RequestCounts {
	readonly #options: Options;
	#gathered = new Map<string, RequestCountRow>();
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
		this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
	}

	/** Stores the counts gathered so far. Flushes run in turn, as they change the same rows. */
	flush(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#storing = this.#storing.then(() => this.#store());
		return this.#storing;
	}

	async #store(): Promise<void> {
		const rows = [...this.#gathered.values()];
		this.#gathered = new Map();
		if (rows.length === 0) return;
		const { database, now, onError } = this.#options;
		try {
			await database.write(null, (db) => addRequestCounts(db, rows, now() - KEPT_MS));
		} catch (error) {
			onError(error);
		}
	}
}
