import type { PushRequest } from '../../../../src/contract/push.ts';

/** The accounts and their pushes. */
export interface Store<Caller> {
	/** The caller behind a key, undefined for an unknown one; counts a request of theirs. */
	authenticate(key: string): Promise<Caller | undefined>;
	/** Resolves when the push is durably stored. */
	store(caller: Caller, request: PushRequest): Promise<unknown>;
}

/** Runs the calls of one turn of the event loop together, with at most `open` such groups at a time. */
export function grouped<Q, A>(
	run: (questions: Q[]) => Promise<ReadonlyArray<A>>,
	open: number,
): (question: Q) => Promise<A> {
	let waiting: Array<{
		question: Q;
		resolve: (answer: A) => void;
		reject: (error: unknown) => void;
	}> = [];
	let isBegun = false;
	let running = 0;
	const begin = () => {
		if (isBegun || running >= open || waiting.length === 0) return;
		isBegun = true;
		setImmediate(() => {
			isBegun = false;
			running += 1;
			const group = waiting;
			waiting = [];
			run(group.map(({ question }) => question))
				.then(
					(answers) => group.forEach(({ resolve }, index) => resolve(answers[index] as A)),
					(error: unknown) => group.forEach(({ reject }) => reject(error)),
				)
				.finally(() => {
					running -= 1;
					begin();
				});
		});
	};
	return (question) =>
		new Promise((resolve, reject) => {
			waiting.push({ question, resolve, reject });
			begin();
		});
}
