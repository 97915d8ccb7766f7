import type { Db } from '../schema.ts';

interface Asked<Q, A> {
	question: Q;
	resolve: (answer: A) => void;
	reject: (error: unknown) => void;
}

export interface GatheredOptions<Q, A> {
	/** Answers all, in order; rejects if it can answer none. */
	answer: (questions: readonly Q[]) => Promise<readonly A[]>;
	/** Maximum questions answered together. */
	limit?: number;
	/** Called when the queue is empty. */
	onIdle?: () => void;
}

/**
 * Batches calls: those made while one batch runs form the next, in one trip to the store. A lone call is
 * not delayed.
 */
export class Gathered<Q, A> {
	readonly #options: GatheredOptions<Q, A>;
	readonly #queue: Array<Asked<Q, A>> = [];
	readonly #whenIdle: Array<() => void> = [];
	#isOpen = false;

	constructor(options: GatheredOptions<Q, A>) {
		this.#options = options;
	}

	ask(question: Q): Promise<A> {
		return new Promise<A>((resolve, reject) => {
			this.#queue.push({ question, resolve, reject });
			if (!this.#isOpen) void this.#drain();
		});
	}

	/** Resolves when no question is waiting for an answer. */
	async idle(): Promise<void> {
		while (this.#isOpen) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
	}

	async #drain(): Promise<void> {
		const { answer, limit = Infinity, onIdle } = this.#options;
		this.#isOpen = true;
		// Let the remaining questions of this turn join.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.#queue.length > 0) {
			const asked = this.#queue.splice(0, limit);
			try {
				const answers = await answer(asked.map(({ question }) => question));
				for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as A);
			} catch (error) {
				for (const { reject } of asked) reject(error);
			}
		}
		this.#isOpen = false;
		onIdle?.();
		for (const resolve of this.#whenIdle.splice(0)) resolve();
	}
}

/**
 * A query for one question, made from one that answers many.
 * @param answer answers the questions, in order
 */
export function gathered<Q, A>(
	answer: (db: Db, questions: readonly Q[]) => Promise<readonly A[]>,
): (db: Db, question: Q) => Promise<A> {
	const ofStore = new WeakMap<Db, Gathered<Q, A>>();
	return (db, question) => {
		const asking =
			ofStore.get(db) ?? new Gathered<Q, A>({ answer: (questions) => answer(db, questions) });
		ofStore.set(db, asking);
		return asking.ask(question);
	};
}
