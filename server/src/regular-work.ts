import { MINUTE_MS } from './durations.ts';

/** Longest pause after failures. Work that is done less often is not delayed by them. */
const LONGEST_PAUSE_MS = MINUTE_MS;

export interface RegularWork {
	/** The work's name, as in "expiry failed". */
	what: string;
	/** Does the work now, unless it is running. */
	run(): void;
	/** Starts no further run. @returns once none is running */
	stop(): Promise<void>;
}

/**
 * Does the work every `ms` milliseconds, except while it is still running. Whatever it throws is reported and ends
 * neither the process nor the work: it pauses, twice as long after each failure in a row, up to a minute.
 */
export function scheduleEvery(
	ms: number,
	what: string,
	work: () => unknown,
	onError: (error: unknown, what: string) => void,
): RegularWork {
	let underWay: Promise<unknown> | undefined;
	let [failures, pausedUntil] = [0, 0];
	const attempt = async () => {
		try {
			await work();
			failures = 0;
		} catch (error) {
			failures += 1;
			pausedUntil = performance.now() + Math.min(ms * 2 ** failures, LONGEST_PAUSE_MS);
			onError(error, what);
		}
	};
	const run = () => {
		underWay ??= attempt().finally(() => (underWay = undefined));
	};
	const timer = setInterval(() => {
		if (performance.now() >= pausedUntil) run();
	}, ms);
	timer.unref();
	return {
		what,
		run,
		async stop() {
			clearInterval(timer);
			await underWay;
		},
	};
}
