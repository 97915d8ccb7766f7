import { MINUTE_MS } from './durations.ts';

/** Longest pause after failures. Work that is done less often is not delayed by them. */
const MAX_PAUSE_MS = MINUTE_MS;

/** What a server does at regular intervals; what is due at a certain time is in `service/later/kinds.ts`. */
export interface Task {
	everyMs: number;
	/** Its name, as in "deleting pictures failed". */
	what: string;
	work: () => unknown;
	/** Also when the server starts. */
	isAtStart?: boolean;
}

export interface RegularWork {
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
	let inProgress: Promise<unknown> | undefined;
	let [failures, pausedUntil] = [0, 0];
	const attempt = async () => {
		try {
			await work();
			failures = 0;
		} catch (error) {
			failures += 1;
			pausedUntil = performance.now() + Math.min(ms * 2 ** failures, MAX_PAUSE_MS);
			onError(error, what);
		}
	};
	const run = () => {
		inProgress ??= attempt().finally(() => (inProgress = undefined));
	};
	const timer = setInterval(() => {
		if (performance.now() >= pausedUntil) run();
	}, ms);
	timer.unref();
	return {
		run,
		async stop() {
			clearInterval(timer);
			await inProgress;
		},
	};
}

/**
 * Runs tasks; those with the same interval one after another. What one throws is reported, and the others continue.
 */
export function scheduleTasks(
	tasks: readonly Task[],
	onError: (error: unknown, what: string) => void,
): RegularWork[] {
	return [...Map.groupBy(tasks, ({ everyMs }) => everyMs)].map(([everyMs, all]) => {
		let [due, isStopped] = [all.filter(({ isAtStart }) => isAtStart), false];
		const inTurn = async () => {
			for (const { what, work } of due) {
				if (isStopped) return;
				try {
					await work();
				} catch (error) {
					onError(error, what);
				}
			}
			due = all;
		};
		const scheduled = scheduleEvery(everyMs, 'regular work', inTurn, onError);
		scheduled.run();
		const stop = () => {
			isStopped = true;
			return scheduled.stop();
		};
		return { ...scheduled, stop };
	});
}
