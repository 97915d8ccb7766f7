import type { Db } from '../schema.ts';

/** Transactions whose jobs are running concurrently. */
const sideBySide = new WeakSet<Db>();

/**
 * Runs jobs concurrently in the transaction of `db`, so their queries can be combined.
 * @param width the number of jobs run at a time; a single one has nothing to combine
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
 * A function for one call, made from one that answers many with a single statement. The jobs of a group
 * run in step, and the calls several of them make in the same step share one trip to the store.
 * @param run answers the calls, in order
 */
export function together<C, R>(
	run: (db: Db, calls: readonly C[]) => Promise<readonly R[]>,
): (db: Db, call: C) => Promise<R> {
	const steps = new WeakMap<Db, Step<C, R>>();

	/** A tick runs after everything that can continue without the store. */
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
