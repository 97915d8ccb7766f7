import { inSlot, Slots } from './slots.ts';

/** Accounts whose regular work is done at the same time, so that requests find a free connection to the store. */
const ACCOUNTS_AT_ONCE = 5;

export interface RegularWork {
	/** The work's name, as in "expiry failed". */
	what: string;
	/** Does the work now, unless it is running. */
	run(): void;
	/** Starts no further run. @returns once none is running */
	stop(): Promise<void>;
}

/** Does the work every `ms` milliseconds, except while it is still running. */
export function scheduleEvery(
	ms: number,
	what: string,
	work: () => Promise<unknown>,
	onError: (error: unknown, what: string) => void,
): RegularWork {
	let underWay: Promise<unknown> | undefined;
	const run = () => {
		underWay ??= work()
			.catch((error: unknown) => onError(error, what))
			.finally(() => (underWay = undefined));
	};
	const timer = setInterval(run, ms);
	return {
		what,
		run,
		async stop() {
			clearInterval(timer);
			await underWay;
		},
	};
}

/**
 * Does regular work for all accounts that own some of the rows, for several at a time: a gateway that hangs for one
 * account does not delay the others.
 * @throws AggregateError when the work has failed for some, after it has ended for all
 */
export async function forEachAccount<R extends { account_id: string }>(
	rows: readonly R[],
	work: (accountId: string, own: R[]) => Promise<void>,
): Promise<void> {
	const accounts = Map.groupBy(rows, ({ account_id: id }) => id);
	const slots = new Slots<() => void>(ACCOUNTS_AT_ONCE);
	const ended = await Promise.allSettled(
		[...accounts].map(([id, own]) => inSlot(slots, () => work(id, own))),
	);
	const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
	if (errors.length > 0)
		throw new AggregateError(errors, `Failed for ${errors.length} of ${accounts.size} accounts`);
}
