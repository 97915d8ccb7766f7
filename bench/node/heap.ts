import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this process uses in its heap once the garbage is collected. */
export async function heapBytes(): Promise<number> {
	// What the first collection finalizes, the next frees.
	for (let times = 0; times < 3; times += 1) {
		collectGarbage();
		await setTimeout(100);
	}
	return process.memoryUsage().heapUsed;
}
