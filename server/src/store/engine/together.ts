import type { Db } from '../schema.ts';

/** Transactions whose jobs run side by side at the moment. */
const sideBySide = new WeakSet<Db>();

/**
 * Runs jobs side by side in the transaction that `db` is in, so that what they ask for is asked together.
 * @param width how many run at a time; one alone has nobody to wait for
 */
export async function inStep<T>(db: Db, width: number, run: () => Promise<T>): Promise<T> {
	if (width > 1) sideBySide.add(db);
	try {
		return await run();
	} finally {
		sideBySide.delete(db);
	}
}

interface Step<C, R> {
	calls: C[];
	results: Promise<readonly R[]>;
}

/**
 * A function of one call, made of one that answers many with a single statement: the jobs of a group
 * walk in step, and what several of them call in the same step is one trip to the store.
 * @param run answers the calls, in their order
 */
export function together<C, R>(
	run: (db: Db, calls: readonly C[]) => Promise<readonly R[]>,
): (db: Db, call: C) => Promise<R> {
	const steps = new WeakMap<Db, Step<C, R>>();

	/** A tick comes after everything that can go on without the store has done so. */
	const begin = (db: Db): Step<C, R> => {
		const calls: C[] = [];
		const results = new Promise<readonly R[]>((resolve, reject) => {
			process.nextTick(() => {
				steps.delete(db);
				run(db, calls).then(resolve, reject);
			});
		});
		const step = { calls, results };
		steps.set(db, step);
		return step;
	};

	return async (db, call) => {
		if (!sideBySide.has(db)) return (await run(db, [call]))[0] as R;
		const step = steps.get(db) ?? begin(db);
		const place = step.calls.push(call) - 1;
		return (await step.results)[place] as R;
	};
}
