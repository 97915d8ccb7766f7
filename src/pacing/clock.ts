import { sleep } from 'n8n-workflow';

/** Time and chance, so that tests can bring their own. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now: () => number;
	sleep: (milliseconds: number) => Promise<void>;
	/** From 0 up to, but without, 1. */
	random: () => number;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	sleep,
	random: () => Math.random(),
};
