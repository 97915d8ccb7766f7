import pg from 'pg';
import { StoreUnavailableError } from '../../errors.ts';

/** Silence during a query after which the database is probed. */
const SILENCE_MS = 1_000;

/** Time allowed for the probe. */
const ANSWER_MS = 1_500;

const LOOK_EVERY_MS = 250;

/**
 * Time for one answer while the database is available: a request is answered within five seconds. PostgreSQL
 * ends a long statement itself before that (STATEMENT_TIMEOUT_MS), unless the process that runs it hangs.
 */
const LIMIT_MS = 4_250;

interface Waiting {
	since: number;
	/** False: waits for a connection. */
	isQuery: boolean;
}

/**
 * Detects an unreachable PostgreSQL. A database that hangs, or a network that drops everything, breaks no
 * connection: each query would wait for its own timeout. After a second of silence, a separate connection
 * therefore probes the database. If it gets no answer, every waiting query and every new one fails
 * immediately, until the database answers again. If it answers, but one of its processes hangs, the query that
 * waits for that process fails after a limit, and connections from before are no longer used.
 */
export class Presence {
	readonly #connect: () => pg.Client;
	readonly #waiting = new Map<(error: StoreUnavailableError) => void, Waiting>();
	#heardAt = 0;
	#timer: NodeJS.Timeout | undefined;
	#isAsking = false;
	#isAway = false;
	#isClosed = false;
	#outages = 0;

	/** @param connect creates a connection that gives up after `timeoutMs` */
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
	 * @param isQuery false: for a connection
	 * @throws StoreUnavailableError as soon as the database is known to be away, or one of its processes to hang
	 */
	async during<T>(answer: Promise<T>, isQuery: boolean): Promise<T> {
		let giveUp: (error: StoreUnavailableError) => void = () => undefined;
		const away = new Promise<never>((_resolve, reject) => (giveUp = reject));
		if (this.#isAway) giveUp(awayError());
		if (this.#waiting.size === 0) this.#heardAt = performance.now();
		this.#waiting.set(giveUp, { since: performance.now(), isQuery });
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

	/** Fails queries that wait for a hanging process, or for the connections that it keeps in use. */
	#giveUpLate(): void {
		const isLate = ({ since }: Waiting) => performance.now() - since >= LIMIT_MS;
		const hangs = [...this.#waiting.values()].some((waiting) => waiting.isQuery && isLate(waiting));
		if (hangs) this.#outages += 1;
		for (const [giveUp, waiting] of this.#waiting)
			if (isLate(waiting) || (hangs && !waiting.isQuery)) giveUp(awayError());
	}

	async #look(): Promise<void> {
		this.#giveUpLate();
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
		if (isAway) for (const giveUp of this.#waiting.keys()) giveUp(awayError());
		else if (this.#waiting.size === 0) this.#rest();
	}

	async #ask(): Promise<boolean> {
		const client = this.#connect();
		try {
			await client.connect();
			await client.query('select 1');
			return true;
		} catch (error) {
			// The server refuses one more connection, but it is up.
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
