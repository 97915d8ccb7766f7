import { sql } from 'kysely';
import { forEachAtOnce } from '../../../slots.ts';
import { Batcher } from '../batcher.ts';
import type { Consumption, RateWindows, WindowLimit, WindowState } from '../rate-windows.ts';
import type { Db } from '../../schema.ts';

/** Interval between deletions of expired windows. */
const SWEEP_EVERY_MS = 60_000;

const SWEPT_AT_ONCE = 5_000;

/** Requests counted at the same time, of the pool's connections. */
const COUNTED_AT_ONCE = 4;

interface Row {
	used: number | null;
	opened_at: number | null;
}

interface Request {
	limits: readonly WindowLimit[];
	windowMs: number;
	now: number;
}

/** Windows in the database, so the limits hold across all processes. */
export class RateWindowsInPostgres implements RateWindows {
	readonly #db: Db;
	readonly #onError: (error: unknown) => void;
	/** All requests of one client change its row; batched, they change it once. */
	readonly #requests = new Batcher<Request, Consumption>({
		run: (requests) => this.#consumeAll(requests),
	});
	#sweptAt = 0;

	constructor(db: Db, onError: (error: unknown) => void) {
		this.#db = db;
		this.#onError = onError;
	}

	async consume(
		limits: readonly WindowLimit[],
		windowMs: number,
		now: number,
	): Promise<Consumption> {
		const consumption = await this.#requests.submit({ limits, windowMs, now });
		if (Math.abs(now - this.#sweptAt) > SWEEP_EVERY_MS) {
			this.#sweptAt = now;
			this.#sweep(now).catch(this.#onError);
		}
		return consumption;
	}

	async #consumeAll(requests: readonly Request[]): Promise<Consumption[]> {
		const answers = new Map<Request, Consumption>();
		for (const some of Map.groupBy(requests, ({ windowMs }) => windowMs).values())
			await this.#consumeTogether(some, answers);
		return requests.map((request) => answers.get(request) as Consumption);
	}

	/** Counts requests one by one if their limits are too small for all, and the others together. */
	async #consumeTogether(
		requests: readonly Request[],
		answers: Map<Request, Consumption>,
	): Promise<void> {
		let left = requests;
		while (left.length > 1) {
			const exhausted = await this.#countAll(left, answers);
			const some = left.filter(({ limits }) => limits.some(({ key }) => exhausted.has(key)));
			await this.#countEach(some, answers);
			left = left.filter((request) => !answers.has(request));
		}
		await this.#countEach(left, answers);
	}

	/** Counts all of the requests or none. @returns the keys of the limits that are too small for all */
	async #countAll(
		requests: readonly Request[],
		answers: Map<Request, Consumption>,
	): Promise<Set<string>> {
		const keys = new Map<string, { quota: number; requests: number }>();
		for (const { key, quota } of requests.flatMap(({ limits }) => limits)) {
			const counted = keys.get(key);
			if (counted) counted.requests += 1;
			else keys.set(key, { quota, requests: 1 });
		}
		const asked = [...keys];
		const { windowMs, now } = requests[0] as Request;
		const { rows } = await sql<{ fits: boolean; used: number; opened_at: number }>`
			select fits, used, opened_at from count_rate_windows(
				${asked.map(([key]) => key)}::text[],
				${asked.map(([, counted]) => counted.requests)}::integer[],
				${asked.map(([, { quota }]) => quota)}::integer[],
				${windowMs}::bigint,
				${now}::bigint
			)`.execute(this.#db);
		const exhausted = asked.filter((_, index) => rows[index]?.fits === false);
		if (exhausted.length > 0) return new Set(exhausted.map(([key]) => key));
		const windows = new Map(
			asked.map(([key, counted], index) => {
				const { used = 0, opened_at: openedAt = now } = rows[index] ?? {};
				return [key, { used: used - counted.requests, openedAt }];
			}),
		);
		for (const request of requests) {
			const counted = request.limits.map(({ key }) => {
				const window = windows.get(key);
				if (window) window.used += 1;
				return window && { ...window };
			});
			answers.set(request, { allowed: true, windows: counted });
		}
		return new Set();
	}

	async #countEach(
		requests: readonly Request[],
		answers: Map<Request, Consumption>,
	): Promise<void> {
		await forEachAtOnce(COUNTED_AT_ONCE, requests, async (request) =>
			answers.set(request, await this.#count(request)),
		);
	}

	async #count({ limits, windowMs, now }: Request): Promise<Consumption> {
		const { rows } = await sql<Row & { allowed: boolean }>`
			select allowed, used, opened_at from consume_rate_windows(
				${limits.map(({ key }) => key)}::text[],
				${limits.map(({ quota }) => quota)}::integer[],
				${windowMs}::bigint,
				${now}::bigint
			)`.execute(this.#db);
		return { allowed: rows.every(({ allowed }) => allowed), windows: rows.map(toState) };
	}

	async peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]> {
		const { rows } = await sql<Row>`
			select used, opened_at
			from unnest(${limits.map(({ key }) => key)}::text[]) with ordinality as asked(key, place)
			left join rate_windows on rate_windows.key = asked.key and ends_at > ${now}::bigint
			order by place`.execute(this.#db);
		return rows.map(toState);
	}

	/**
	 * Deletes expired windows, and those opened in the future because the clock was set back, but none that
	 * another request is reopening.
	 */
	async #sweep(now: number): Promise<void> {
		await sql`
			delete from rate_windows where key in (
				select key from rate_windows
				where ends_at <= ${now}::bigint or opened_at - ${now}::bigint > ends_at - opened_at
				limit ${sql.lit(SWEPT_AT_ONCE)} for update skip locked
			)`.execute(this.#db);
	}
}

function toState({ used, opened_at: openedAt }: Row): WindowState {
	return used === null || openedAt === null ? undefined : { used, openedAt };
}
