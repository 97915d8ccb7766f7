import { registerHooks } from 'node:module';
import * as real from '../../src/regular-work.ts';

type RegularWork = real.RegularWork;

/** Instead of an interval of its own. */
const EVERY_MS = 20;

/** An hour becomes a second. */
const FASTER = 3_600;

/** A task of the server, as it is logged. */
export interface TaskLine {
	task: string;
	did: 'begin' | 'throw' | 'work';
}

const say = (line: TaskLine) => process.stderr.write(`${JSON.stringify(line)}\n`);

/** A process started with `--import` and this file gets the functions below in place of those of regular-work.ts. */
registerHooks({
	resolve: (specifier, context, next) =>
		specifier.endsWith('/regular-work.ts')
			? { url: import.meta.url, shortCircuit: true }
			: next(specifier, context),
});

/** Throws in the first run of a task; the second is logged once it has ended. */
function throwOnce(what: string, work: () => unknown): () => Promise<void> {
	let runs = 0;
	say({ task: what, did: 'begin' });
	return async () => {
		runs += 1;
		if (runs === 1) {
			say({ task: what, did: 'throw' });
			throw new Error('Once');
		}
		await work();
		if (runs === 2) say({ task: what, did: 'work' });
	};
}

type OnError = (error: unknown, what: string) => void;

export function scheduleEvery(
	_ms: number,
	what: string,
	work: () => unknown,
	onError: OnError,
): RegularWork {
	return real.scheduleEvery(EVERY_MS, what, throwOnce(what, work), onError);
}

export function scheduleTasks(tasks: readonly real.Task[], onError: OnError): RegularWork[] {
	const faster = tasks.map(({ everyMs, what, work, ...rest }) => ({
		...rest,
		// Those with the same interval still take turns.
		everyMs: everyMs / FASTER,
		what,
		work: throwOnce(what, work),
	}));
	return real.scheduleTasks(faster, onError);
}
