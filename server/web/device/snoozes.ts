import type { SnoozeRequest } from '../../src/contract/device.ts';

type Until = SnoozeRequest['until'];

/** From this hour on, "evening" means tomorrow's. */
const EVENING = 20;

/** Until when a notification can be snoozed, with the words for it, the earliest first. */
export function snoozes(now: Date): Array<[Until, string]> {
	const morning: [Until, string] = ['morning', 'Tomorrow morning'];
	return now.getHours() < EVENING
		? [['hour', 'In an hour'], ['tonight', 'Tonight'], morning]
		: [['hour', 'In an hour'], morning, ['tonight', 'Tomorrow evening']];
}
