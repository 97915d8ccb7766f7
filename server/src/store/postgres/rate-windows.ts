import { sql } from 'kysely';
import type { Consumption, RateWindows, WindowLimit, WindowState } from '../rate-windows.ts';
import type { Db } from '../schema.ts';

/** How often windows that have passed are looked for. */
const SWEEP_EVERY_MS = 60_000;

const SWEPT_AT_ONCE = 5_000;

interface Row {
	used: number | null;
	opened_at: number | null;
}

/** Windows in the database, so that all processes together allow no more than one would. */
export class RateWindowsInPostgres implements RateWindows {
	readonly #db: Db;
	readonly #onError: (error: unknown) => void;
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
		const { rows } = await sql<Row & { allowed: boolean }>`
			select allowed, used, opened_at from consume_rate_windows(
				${limits.map(({ key }) => key)}::text[],
				${limits.map(({ quota }) => quota)}::integer[],
				${windowMs}::bigint,
				${now}::bigint
			)`.execute(this.#db);
		if (Math.abs(now - this.#sweptAt) > SWEEP_EVERY_MS) {
			this.#sweptAt = now;
			this.#sweep(now).catch(this.#onError);
		}
		return { allowed: rows.every(({ allowed }) => allowed), windows: rows.map(stateOf) };
	}

	async peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]> {
		const { rows } = await sql<Row>`
			select used, opened_at
			from unnest(${limits.map(({ key }) => key)}::text[]) with ordinality as asked(key, place)
			left join rate_windows on rate_windows.key = asked.key and ends_at > ${now}::bigint
			order by place`.execute(this.#db);
		return rows.map(stateOf);
	}

	/** Drops windows that have passed, but none that another request opens anew just now. */
	async #sweep(now: number): Promise<void> {
		await sql`
			delete from rate_windows where key in (
				select key from rate_windows where ends_at <= ${now}::bigint
				limit ${sql.lit(SWEPT_AT_ONCE)} for update skip locked
			)`.execute(this.#db);
	}
}

function stateOf({ used, opened_at: openedAt }: Row): WindowState {
	return used === null || openedAt === null ? undefined : { used, openedAt };
}
