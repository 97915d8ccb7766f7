import { sql } from 'kysely';
import { Batcher } from '../batcher.ts';
import {
	type Consumption,
	countIn,
	type RateWindows,
	type WindowLimit,
	type WindowState,
} from '../rate-windows.ts';
import type { Db } from '../../schema.ts';

/** Interval between deletions of expired windows. */
const SWEEP_EVERY_MS = 60_000;

const SWEPT_AT_ONCE = 5_000;

interface Request {
	limits: readonly WindowLimit[];
	windowMs: number;
	now: number;
}

/** Windows in the database, so the limits hold across all processes. */
export class RateWindowsInPostgres implements RateWindows {
	readonly #db: Db;
	readonly #onError: (error: unknown) => void;
	/** All requests of one client change the same row; batched, they change it once. */
	readonly #requests = new Batcher<Request, Consumption>({
		run: (requests) => this.#consumeAll(requests),
	});
	#sweptAt = 0;

	constructor(db: Db, onError: (error: unknown) => void) {
		this.#db = db;
		this.#onError = onError;
	}

	async consume(limits: readonly WindowLimit[], windowMs: number, now: number) {
		const consumption = await this.#requests.submit({ limits, windowMs, now });
		if (Math.abs(now - this.#sweptAt) > SWEEP_EVERY_MS) {
			this.#sweptAt = now;
			this.#sweep(now, windowMs).catch(this.#onError);
		}
		return consumption;
	}

	async #consumeAll(requests: readonly Request[]): Promise<Consumption[]> {
		const results = new Map<Request, Consumption>();
		for (const alike of Map.groupBy(requests, ({ windowMs }) => windowMs).values())
			await this.#consumeTogether(alike, results);
		return requests.map((request) => results.get(request) as Consumption);
	}

	/**
	 * Counts the requests that the windows allow: usually all of them, in one trip. Otherwise, the first trip counts
	 * nothing and shows what the windows allow, and the second counts the allowed ones. Further trips follow only if
	 * other servers have counted meanwhile.
	 */
	async #consumeTogether(requests: readonly Request[], results: Map<Request, Consumption>) {
		let left = requests;
		while (left.length > 0) {
			const { fit, windows } = await this.#countAll(left);
			for (const request of left) {
				const counted = request.limits.flatMap(({ key }) => windows.get(key) ?? []);
				results.set(request, countIn(counted, request.limits));
			}
			if (fit) return;
			left = left.filter((request) => results.get(request)?.allowed);
		}
	}

	/** Counts all of the requests or none. @returns whether they fit, and the windows before by key */
	async #countAll(requests: readonly Request[]) {
		const { windowMs, now } = requests[0] as Request;
		const limits = requests.flatMap((request) => request.limits);
		// Each key's quota, by its last request: if it is exceeded, that request is refused, and fewer are left.
		const quotas = new Map(limits.map(({ key, quota }) => [key, quota]));
		const counts = Map.groupBy(limits, ({ key }) => key);
		const keys = [...quotas.keys()];
		const more = keys.map((key) => counts.get(key)?.length ?? 0);
		const { rows } = await sql<{ fits: boolean; used: number; opened_at: number }>`
			select fits, used, opened_at from count_rate_windows(
				${keys}::text[],
				${more}::integer[],
				${[...quotas.values()]}::integer[],
				${windowMs}::bigint,
				${now}::bigint
			)`.execute(this.#db);
		const windows = rows.map(({ used, opened_at: openedAt }, index) => ({
			used: used - (more[index] ?? 0),
			openedAt,
		}));
		return {
			fit: rows.every(({ fits }) => fits),
			windows: new Map(windows.map((window, index) => [keys[index] ?? '', window])),
		};
	}

	async peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]> {
		const { rows } = await sql<WindowState>`
			select coalesce(used, 0) as used, coalesce(opened_at, ${now}::bigint) as "openedAt"
			from unnest(${limits.map(({ key }) => key)}::text[]) with ordinality as asked(key, place)
			left join rate_windows on rate_windows.key = asked.key and ends_at > ${now}::bigint
			order by place`.execute(this.#db);
		return rows;
	}

	/**
	 * Deletes expired windows, and those opened in the future because the clock was set back, but none that
	 * another request is reopening. One of the latter ends after any window of this length that is open now.
	 */
	async #sweep(now: number, windowMs: number): Promise<void> {
		await sql`
			delete from rate_windows where key in (
				select key from rate_windows
				where ends_at <= ${now}::bigint
					or (ends_at > ${now + windowMs}::bigint and opened_at - ${now}::bigint > ends_at - opened_at)
				limit ${sql.lit(SWEPT_AT_ONCE)} for update skip locked
			)`.execute(this.#db);
	}
}
