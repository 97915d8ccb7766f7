import type { Load } from '../load/load.ts';

/** Somebody who answers the same requests. */
export interface Contestant {
	name: string;
	load: Load;
	close(): Promise<void>;
}
