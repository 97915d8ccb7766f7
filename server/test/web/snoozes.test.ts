import { describe, expect, it } from '@jest/globals';
import { snoozes } from '../../web/device/snoozes.ts';

describe('the times until which a notification can be snoozed', () => {
	it.each([
		[19, ['In an hour', 'Tonight', 'Tomorrow morning']],
		[20, ['In an hour', 'Tomorrow morning', 'Tomorrow evening']],
	])('at %i o’clock, the earliest first', (hour, words) => {
		expect(snoozes(new Date(2026, 2, 1, hour)).map(([, one]) => one)).toEqual(words);
	});
});
