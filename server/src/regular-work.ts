export interface RegularWork {
	/** The work in words, as in "expiry failed". */
	what: string;
	/** Does the work now, unless it is under way. */
	run(): void;
	/** Begins it no more. @returns once it is not under way */
	stop(): Promise<void>;
}

/** Does the work every `ms` milliseconds, except while it is still under way. */
export function every(
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
