import pg from 'pg';
import { StoreUnavailableError } from '../../errors.ts';

/** Silence during a query after which the database is asked whether it is there. */
const SILENCE_MS = 1_000;

/** How long it may take to answer that. */
const ANSWER_MS = 1_500;

const LOOK_EVERY_MS = 250;

/**
 * Whether PostgreSQL is there. A database that hangs, or a network that drops everything, breaks no
 * connection: each query would wait for its own timeout. So after a second of silence a separate
 * connection asks. If no answer comes, every waiting query fails at once, and every new one too, until
 * the database answers again.
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

	/** How often it was away. A connection of the time before may be dead without a word. */
	get outages(): number {
		return this.#outages;
	}

	/** @throws StoreUnavailableError while the database is away */
	require(): void {
		if (this.#isAway) throw awayError();
	}

	/**
	 * The outcome of what is asked of the database.
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
		// Something else may have been heard meanwhile.
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
			// It has no room for one more connection, but it is there.
			return error instanceof pg.DatabaseError;
		} finally {
			client.end().catch(() => {
				// It is broken already.
			});
		}
	}
}

function awayError(): StoreUnavailableError {
	return new StoreUnavailableError('The database does not answer');
}
