import pg from 'pg';
import { StoreUnavailableError } from '../../errors.ts';

/** Silence during a query after which the database is probed. */
const SILENCE_MS = 1_000;

/** Time allowed for the probe. */
const ANSWER_MS = 1_500;

const LOOK_EVERY_MS = 250;

/**
 * Detects an unreachable PostgreSQL. A database that hangs, or a network that drops everything, breaks no
 * connection: each query would wait for its own timeout. After a second of silence, a separate connection
 * therefore probes the database. If it gets no answer, every waiting query and every new one fails at
 * once, until the database answers again.
 */
export class Presence {
	readonly #connect: () => pg.Client;
	readonly #waiting = new Set<(error: StoreUnavailableError) => void>();
	#heardAt = 0;
	#timer: NodeJS.Timeout | undefined;
	#isAsking = false;
	#isAway = false;
	#isClosed = false;
	#outages = 0;

	/** @param connect makes a connection that gives up after `timeoutMs` */
	constructor(connect: (timeoutMs: number) => pg.Client) {
		this.#connect = () => connect(ANSWER_MS);
	}

	/** Number of outages. A connection from before one may be dead without any sign. */
	get outages(): number {
		return this.#outages;
	}

	/** @throws StoreUnavailableError while the database is away */
	require(): void {
		if (this.#isAway) throw awayError();
	}

	/**
	 * Waits for an answer from the database.
	 * @throws StoreUnavailableError as soon as the database is known to be away
	 */
	async during<T>(answer: Promise<T>): Promise<T> {
		let giveUp: (error: StoreUnavailableError) => void = () => undefined;
		const away = new Promise<never>((_resolve, reject) => (giveUp = reject));
		if (this.#isAway) giveUp(awayError());
		if (this.#waiting.size === 0) this.#heardAt = performance.now();
		this.#waiting.add(giveUp);
		if (!this.#isClosed)
			this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
		try {
			const value = await Promise.race([answer, away]);
			this.#hear();
			return value;
		} catch (error) {
			if (error instanceof pg.DatabaseError) this.#hear();
			throw error;
		} finally {
			this.#waiting.delete(giveUp);
			if (this.#waiting.size === 0 && !this.#isAway) this.#rest();
		}
	}

	close(): void {
		this.#isClosed = true;
		this.#rest();
	}

	#rest(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	#hear(): void {
		this.#heardAt = performance.now();
	}

	async #look(): Promise<void> {
		const isQuiet = performance.now() - this.#heardAt >= SILENCE_MS;
		if (this.#isClosed || this.#isAsking || !(isQuiet || this.#isAway)) return;
		this.#isAsking = true;
		const isThere = await this.#ask();
		this.#isAsking = false;
		if (isThere) this.#hear();
		// Another answer may have arrived meanwhile.
		const isAway = !isThere && performance.now() - this.#heardAt >= SILENCE_MS;
		if (isAway && !this.#isAway) this.#outages += 1;
		this.#isAway = isAway;
		if (isAway) for (const giveUp of this.#waiting) giveUp(awayError());
		else if (this.#waiting.size === 0) this.#rest();
	}

	async #ask(): Promise<boolean> {
		const client = this.#connect();
		try {
			await client.connect();
			await client.query('select 1');
			return true;
		} catch (error) {
			// The server refuses one more connection, but it is there.
			return error instanceof pg.DatabaseError;
		} finally {
			client.end().catch(() => {
				// Already broken.
			});
		}
	}
}

function awayError(): StoreUnavailableError {
	return new StoreUnavailableError('The database does not answer');
}
