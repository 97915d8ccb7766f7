import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ShownQuestion } from '../../src/contract/questions.ts';
import { timeLeft } from '../../web/device/questions.ts';
import { relativeTime } from '../../web/device/relative-time.ts';
import { clockTime } from '../../web/device/times.ts';

const ZONE = process.env.TZ;

/** Berlin sets its clocks forward on 29 March 2026, and back on 25 October. */
describe('times as people read them', () => {
	beforeAll(() => void (process.env.TZ = 'Europe/Berlin'));
	afterAll(() => {
		if (ZONE === undefined) delete process.env.TZ;
		else process.env.TZ = ZONE;
	});

	/** On the wall in Berlin. */
	const wall = (text: string) => new Date(text).getTime();

	it('are those of Berlin here', () => {
		expect(new Date('2026-07-01T12:00:00Z').getHours()).toBe(14);
	});

	it.each([
		['a minute before midnight', '2026-03-10T23:59:00', '2026-03-11T00:00:30', '1m ago'],
		['within a day, on the day before', '2026-03-10T23:30:00', '2026-03-11T20:00:00', '20h ago'],
		['just a day', '2026-03-10T12:00:00', '2026-03-11T12:00:00', 'yesterday'],
		[
			'most of two days, on the day before',
			'2026-03-10T00:10:00',
			'2026-03-11T23:50:00',
			'yesterday',
		],
		['a day and an hour, two days before', '2026-03-10T23:30:00', '2026-03-12T00:30:00', 'Mar 10'],
		['a day of 23 hours', '2026-03-28T12:00:00', '2026-03-29T12:30:00', '23h ago'],
		['the day before one of 23 hours', '2026-03-28T00:30:00', '2026-03-29T23:00:00', 'yesterday'],
		[
			'two days before, over one of 25 hours',
			'2026-10-24T23:30:00',
			'2026-10-26T00:30:00',
			'Oct 24',
		],
		['the day before, over New Year', '2025-12-31T08:00:00', '2026-01-01T22:00:00', 'yesterday'],
		['this year', '2026-01-01T00:00:00', '2026-12-31T23:59:00', 'Jan 1'],
		['a year', '2025-03-11T12:00:00', '2026-03-11T12:00:00', 'Mar 11, 2025'],
	])('of %s', (_what, then, now, words) => {
		expect(relativeTime(new Date(then).toISOString(), wall(now))).toBe(words);
	});

	it('have the day unless it is today, and the year unless it is this one', () => {
		const at = wall('2026-03-10T23:30:00');
		expect(clockTime(at, wall('2026-03-10T00:10:00'))).not.toMatch(/Mar|2026/);
		expect(clockTime(at, wall('2026-03-11T00:10:00'))).toMatch(/Tue.*Mar 10/);
		expect(clockTime(at, wall('2026-03-11T00:10:00'))).not.toContain('2026');
		expect(clockTime(at, wall('2027-03-10T23:30:00'))).toMatch(/Mar 10.*2026/);
	});
});

describe('the time left', () => {
	const DAY = 86_400;
	const left = (seconds: number, changes: Partial<ShownQuestion> = {}) =>
		timeLeft(
			{
				question_id: 'q',
				status: 'open',
				deadline_at: new Date(seconds * 1_000).toISOString(),
				callback: 'none',
				...changes,
			},
			0,
		);

	it.each([
		[0, 'Time is up'],
		[1, 'Less than a minute left'],
		[59, 'Less than a minute left'],
		[60, '1 minute left'],
		[66, '1 minute left'],
		[67, '1 minute 7 seconds left'],
		[119, '1 minute 59 seconds left'],
		[120, '2 minutes left'],
		[3_599, '59 minutes left'],
		[3_600, '1 hour left'],
		[7_199, '1 hour 59 minutes left'],
		[7_200, '2 hours left'],
		[10_799, '2 hours 59 minutes left'],
		[DAY - 1, '23 hours left'],
		[DAY, '1 day left'],
		[2 * DAY - 1, '1 day 23 hours left'],
		[30 * DAY, '30 days left'],
	])('of %d seconds', (seconds, words) => {
		expect(left(seconds)).toBe(words);
	});

	it('is at most what there is, and at least nine tenths of it', () => {
		const lengths = { day: DAY, hour: 3_600, minute: 60, second: 1 };
		for (let seconds = 60; seconds < 3 * DAY; seconds += 1) {
			const told = [...left(seconds).matchAll(/(\d+) (day|hour|minute|second)/g)].reduce(
				(sum, [, number, unit]) => sum + Number(number) * lengths[unit as keyof typeof lengths],
				0,
			);
			if (told > seconds || told < seconds * 0.9)
				throw new Error(`${seconds} seconds are told as “${left(seconds)}”`);
		}
	});

	it('is not told while nobody has set a deadline, until the last day', () => {
		expect(left(2 * DAY, { is_open_ended: true })).toBe('');
		expect(left(DAY, { is_open_ended: true })).toBe('1 day left');
	});
});
