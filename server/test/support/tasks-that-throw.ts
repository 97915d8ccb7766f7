import { registerHooks } from 'node:module';
import { type RegularWork, scheduleEvery as schedule } from '../../src/regular-work.ts';

/** Instead of a task's own interval, which may be an hour. */
const EVERY_MS = 20;

/** A task of the server, as it is logged. */
export interface TaskLine {
	task: string;
	did: 'begin' | 'throw' | 'work';
}

const say = (line: TaskLine) => process.stderr.write(`${JSON.stringify(line)}\n`);

/** Loaded with `--import`: whoever schedules regular work in this process gets the function below. */
registerHooks({
	resolve: (specifier, context, next) =>
		specifier.endsWith('/regular-work.ts')
			? { url: import.meta.url, shortCircuit: true }
			: next(specifier, context),
});

/** The first run of each task throws; the second is logged once it has ended. */
export function scheduleEvery(
	_ms: number,
	what: string,
	work: () => unknown,
	onError: (error: unknown, what: string) => void,
): RegularWork {
	let runs = 0;
	say({ task: what, did: 'begin' });
	const once = async () => {
		runs += 1;
		if (runs === 1) {
			say({ task: what, did: 'throw' });
			throw new Error('Once');
		}
		await work();
		if (runs === 2) say({ task: what, did: 'work' });
	};
	return schedule(EVERY_MS, what, once, onError);
}
