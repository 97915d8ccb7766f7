import type { Load } from '../load/load.ts';
import type { Phase } from '../load/traffic.ts';

/** A server that answers the same requests. */
export interface Contestant {
	name: string;
	load: Load;
	/** The requests it answers; all if left out. */
	phases?: readonly Phase[];
	close(): Promise<void>;
}
