import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of a process. CPU times are in milliseconds, before and after the garbage was collected. */
export interface ProcessFigures {
	cpuBefore: number;
	heapBytes: number;
	cpuAfter: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function cpuMilliseconds(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/** Of this process. */
export async function ownFigures(): Promise<ProcessFigures> {
	const cpuBefore = cpuMilliseconds();
	// What the first collection finalizes, the next frees.
	for (let times = 0; times < 3; times += 1) {
		collectGarbage();
		await setTimeout(100);
	}
	return { cpuBefore, heapBytes: process.memoryUsage().heapUsed, cpuAfter: cpuMilliseconds() };
}

/** Loaded into another process by `--import`, this writes its figures to its log on a signal. */
process.on('SIGUSR2', () => {
	void ownFigures().then((figures) => {
		process.stderr.write(`figures: ${JSON.stringify(figures)}\n`);
	});
});
