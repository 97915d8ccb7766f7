import type { Load } from '../load/load.ts';
import type { Phase } from '../load/traffic.ts';

/** Somebody who answers the same requests. */
export interface Contestant {
	name: string;
	load: Load;
	/** The requests that it answers; left out: all. */
	phases?: readonly Phase[];
	close(): Promise<void>;
}
