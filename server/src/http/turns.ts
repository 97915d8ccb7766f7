import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';

interface Turn {
	response: ServerResponse;
	begin: () => void;
	isInProgress: boolean;
}

interface Line {
	/** Its turns, in order. */
	turns: Set<Turn>;
	inProgress: number;
}

/**
 * Lets a few requests of each key run at a time; the others wait, in order, without having begun. When requests
 * wait, only the first of a key begins immediately: of all others, one in each turn of the event loop, so a flood
 * leaves room for the rest.
 */
export class Turns<Key> {
	readonly #most: { inProgress: number; waiting: number };
	readonly #lines = new Map<Key, Line>();
	/** The lines of which a request can begin. */
	readonly #ready = new Set<Line>();
	#isBeginning = false;

	constructor(most: { inProgress: number; waiting: number }) {
		this.#most = most;
	}

	/**
	 * Begins the request in its turn, which ends when the response has been sent or its connection closed.
	 * @returns false if the maximum number is waiting, or the client has hung up
	 */
	take(key: Key, response: ServerResponse, begin: () => void): boolean {
		const line = this.#lines.get(key) ?? { turns: new Set(), inProgress: 0 };
		const { inProgress, waiting } = this.#most;
		if (response.closed || line.turns.size >= inProgress + waiting) return false;
		const turn = { response, begin, isInProgress: false };
		this.#lines.set(key, line);
		line.turns.add(turn);
		const end = () => this.#end(key, line, turn);
		// An injected response never closes, and one whose client has hung up never finishes.
		response.once('finish', end).once('close', end);
		if (line.turns.size === 1 || waiting === 0) this.#begin(line, turn);
		else this.#beginSoon(line);
		return true;
	}

	/** Resolves when the request may begin. @throws the refusal if too many wait */
	async waitTurn(key: Key, response: ServerResponse, refusal: () => Error): Promise<void> {
		await new Promise<void>((begin, refuse) => {
			if (!this.take(key, response, begin)) refuse(refusal());
		});
	}

	/** The responses to the requests of this key, in order, including those that have not begun. */
	responses(key: Key): ServerResponse[] {
		return Array.from(this.#lines.get(key)?.turns ?? [], ({ response }) => response);
	}

	#begin(line: Line, turn: Turn): void {
		turn.isInProgress = true;
		line.inProgress += 1;
		turn.begin();
	}

	/** Lets the line's next request begin when other events have had their turn. */
	#beginSoon(line: Line): void {
		if (line.inProgress < Math.min(this.#most.inProgress, line.turns.size)) this.#ready.add(line);
		if (this.#isBeginning || this.#ready.size === 0) return;
		this.#isBeginning = true;
		setImmediate(() => {
			this.#isBeginning = false;
			this.#beginNext();
		});
	}

	#beginNext(): void {
		const [line] = this.#ready;
		if (!line) return;
		// Goes to the end of the round.
		this.#ready.delete(line);
		for (const turn of line.turns) {
			if (turn.isInProgress) continue;
			this.#begin(line, turn);
			break;
		}
		this.#beginSoon(line);
	}

	#end(key: Key, line: Line, turn: Turn): void {
		if (!line.turns.delete(turn)) return;
		if (turn.isInProgress) line.inProgress -= 1;
		if (line.turns.size === 0) this.#lines.delete(key);
		this.#beginSoon(line);
	}
}

/**
 * Runs jobs that hold the event loop one at a time.
 * @param pause the pause after each job, as a multiple of the time for which it kept the event loop busy
 * @returns a function that runs a job in its turn, and gives its result or its error
 */
export function beginWithPauses(pause: number): <T>(work: () => Promise<T>) => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		let before = performance.eventLoopUtilization();
		const done = last.then(() => {
			before = performance.eventLoopUtilization();
			return work();
		});
		last = done
			.catch(() => undefined)
			// Includes what follows the work at once, such as writing what it has read.
			.then(() => nextTurn())
			.then(() => setTimeout(pause * performance.eventLoopUtilization(before).active));
		return done;
	};
}
