import { sleep } from 'n8n-workflow';

/** Time and randomness, replaceable in tests. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now: () => number;
	sleep: (milliseconds: number) => Promise<void>;
	/** From 0 (inclusive) to 1 (exclusive). */
	random: () => number;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	sleep,
	random: () => Math.random(),
};
