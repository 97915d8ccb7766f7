import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INTERRUPTION_LEVELS, WEEKDAYS } from '../../src/contract/values.ts';
import {
	heldBack,
	muteEnd,
	NEVER_QUIET,
	type QuietSettings,
	quietUntil,
} from '../../src/service/quiet/rules.ts';
import { scaled } from '../support/scaled.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (time: string) => Date.parse(time);

function quiet(from: string, to: string, changes: Partial<QuietSettings> = {}): QuietSettings {
	return {
		...NEVER_QUIET,
		time_zone: 'Europe/Berlin',
		hours: { from, to, days: [...WEEKDAYS] },
		...changes,
	};
}

const endOf = (settings: QuietSettings, time: string) => {
	const end = quietUntil(settings, at(time));
	return end === undefined ? undefined : new Date(end).toISOString().replace(':00.000Z', 'Z');
};

describe('quiet hours', () => {
	it.each([
		['in the evening', '2026-01-15T21:30Z', '2026-01-16T06:00Z'],
		['at their first moment', '2026-01-15T21:00Z', '2026-01-16T06:00Z'],
		['after midnight', '2026-01-16T02:00Z', '2026-01-16T06:00Z'],
		['a minute before they begin', '2026-01-15T20:59Z', undefined],
		['at their end', '2026-01-16T06:00Z', undefined],
		['at noon', '2026-01-16T11:00Z', undefined],
		['in summer, when UTC is an hour later', '2026-07-15T20:30Z', '2026-07-16T05:00Z'],
	])('from 22:00 to 07:00 in Berlin, %s', (_when, now, end) => {
		expect(endOf(quiet('22:00', '07:00'), now)).toBe(end);
	});

	it.each([
		['the night the clock goes forward', '2026-03-28T22:30Z', '2026-03-29T05:00Z'],
		['the night the clock goes back', '2026-10-24T21:00Z', '2026-10-25T06:00Z'],
	])('end at seven on the wall after %s', (_when, now, end) => {
		expect(endOf(quiet('22:00', '07:00'), now)).toBe(end);
	});

	it.each([
		// 02:30 does not exist on 29 March: an hour and a half after one o'clock is 03:30.
		[
			'that ends in the missing hour',
			quiet('01:00', '02:30'),
			'2026-03-29T00:10Z',
			'2026-03-29T01:30Z',
		],
		// 02:30 comes twice on 25 October.
		[
			'that ends in the repeated hour',
			quiet('01:00', '02:30'),
			'2026-10-25T00:10Z',
			'2026-10-25T00:30Z',
		],
		['after its end in the repeated hour', quiet('01:00', '02:30'), '2026-10-25T01:10Z', undefined],
		[
			'in a zone that moves by half an hour',
			quiet('22:00', '07:00', { time_zone: 'Australia/Lord_Howe' }),
			'2026-10-03T15:00Z',
			'2026-10-03T20:00Z',
		],
		[
			'in New York',
			quiet('22:00', '07:00', { time_zone: 'America/New_York' }),
			'2026-03-08T05:00Z',
			'2026-03-08T11:00Z',
		],
		[
			'in Kathmandu, 5:45 ahead',
			quiet('22:00', '07:00', { time_zone: 'Asia/Kathmandu' }),
			'2026-05-01T18:00Z',
			'2026-05-02T01:15Z',
		],
	])('%s', (_what, settings, now, end) => {
		expect(endOf(settings, now)).toBe(end);
	});

	it('belong to the day on which they begin', () => {
		const friday = quiet('22:00', '07:00', {
			hours: { from: '22:00', to: '07:00', days: ['fri'] },
		});
		expect(endOf(friday, '2026-01-17T03:00Z')).toBe('2026-01-17T06:00Z');
		expect(endOf(friday, '2026-01-16T03:00Z')).toBeUndefined();
		expect(endOf(friday, '2026-01-17T22:00Z')).toBeUndefined();
	});

	it('and a mute that passes into them are one quiet time', () => {
		const settings = quiet('22:00', '07:00', { muted_until: at('2026-01-15T21:30Z') });
		expect(endOf(settings, '2026-01-15T20:40Z')).toBe('2026-01-16T06:00Z');
		const longer = quiet('22:00', '07:00', { muted_until: at('2026-01-16T08:00Z') });
		expect(endOf(longer, '2026-01-16T05:00Z')).toBe('2026-01-16T08:00Z');
	});

	const ZONES = [
		'Europe/Berlin',
		'America/New_York',
		'America/Santiago',
		'Australia/Lord_Howe',
		'Asia/Kathmandu',
		'Pacific/Auckland',
		'UTC',
	];
	const timeOfDay = fc
		.integer({ min: 0, max: 24 * 60 - 1 })
		.map((minutes) => new Date(minutes * MINUTE).toISOString().slice(11, 16));
	const settings = fc
		.record({
			from: timeOfDay,
			to: timeOfDay,
			days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
			time_zone: fc.constantFrom(...ZONES),
		})
		.filter(({ from, to }) => from !== to)
		.map(({ time_zone, ...hours }): QuietSettings => ({ ...NEVER_QUIET, time_zone, hours }));
	const moment = fc
		.integer({ min: at('2024-01-01T00:00Z') / MINUTE, max: at('2030-01-01T00:00Z') / MINUTE })
		.map((minutes) => minutes * MINUTE);

	it('last without a gap until the end they name, and no longer', () => {
		fc.assert(
			fc.property(
				settings,
				moment,
				fc.double({ min: 0, max: 1, noNaN: true }),
				(one, now, part) => {
					const end = quietUntil(one, now);
					if (end === undefined) return;
					expect(end).toBeGreaterThan(now);
					expect(end - now).toBeLessThan(8 * 24 * HOUR);
					const between = now + Math.floor(((end - now) * part) / MINUTE) * MINUTE;
					if (between < end) expect(quietUntil(one, between)).toBe(end);
					expect(quietUntil(one, end)).toBeUndefined();
				},
			),
			{ numRuns: scaled(1_000) },
		);
	});

	it('end when the wall shows their end, or as much later where that time is left out', () => {
		const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
		fc.assert(
			fc.property(settings, moment, (one, now) => {
				const end = quietUntil(one, now);
				if (end === undefined) return;
				const wall = new Intl.DateTimeFormat('en-GB', {
					timeZone: one.time_zone!,
					hour: '2-digit',
					minute: '2-digit',
				}).format(end);
				const later = (minutesOf(wall) - minutesOf(one.hours!.to) + 24 * 60) % (24 * 60);
				expect([0, 30, 60]).toContain(later);
			}),
			{ numRuns: scaled(1_000) },
		);
	});
});

describe('a message', () => {
	const NIGHT = at('2026-01-16T02:00Z');
	const NOON = at('2026-01-16T11:00Z');
	const held = (settings: QuietSettings, now: number, isQuestion = false) =>
		INTERRUPTION_LEVELS.filter((level) => heldBack(settings, { level, isQuestion }, now));

	it('interrupts a quiet phone only if it is critical', () => {
		expect(held(quiet('22:00', '07:00'), NIGHT)).toEqual(['passive', 'active', 'time-sensitive']);
		expect(held(quiet('22:00', '07:00'), NOON)).toEqual([]);
	});

	it('is held back at any time below the minimum level, and then for good', () => {
		const settings = quiet('22:00', '07:00', { minimum_level: 'time-sensitive' });
		expect(held(settings, NOON)).toEqual(['passive', 'active']);
		const one = { level: 'active', isQuestion: false } as const;
		expect(heldBack(settings, one, NIGHT)).toEqual({ until: undefined });
	});

	it('interrupts as a question only if the person wants that', () => {
		expect(held(quiet('22:00', '07:00'), NIGHT, true)).not.toEqual([]);
		expect(held(quiet('22:00', '07:00', { questions: true }), NIGHT, true)).toEqual([]);
		expect(held(quiet('22:00', '07:00', { questions: true }), NIGHT)).not.toEqual([]);
	});
});

describe('a mute', () => {
	const berlin = { hours: null, time_zone: 'Europe/Berlin' };
	it.each([
		['in the evening', '2026-01-15T21:30Z', '2026-01-16T06:00Z'],
		['after midnight', '2026-01-16T02:00Z', '2026-01-16T06:00Z'],
		['before the clock goes forward', '2026-03-28T22:30Z', '2026-03-29T05:00Z'],
	])('until the morning, asked for %s', (_when, now, end) => {
		expect(muteEnd('morning', berlin, at(now))).toBe(at(end));
	});

	it('takes the morning from nightly quiet hours alone', () => {
		const hours = (to: string) => ({ from: '01:00', to, days: [...WEEKDAYS] });
		const now = at('2026-01-15T21:30Z');
		expect(muteEnd('morning', { ...berlin, hours: hours('08:30') }, now)).toBe(
			at('2026-01-16T07:30Z'),
		);
		expect(muteEnd('morning', { ...berlin, hours: hours('15:00') }, now)).toBe(
			at('2026-01-16T06:00Z'),
		);
	});

	it('for an hour lasts an hour', () => {
		expect(muteEnd('hour', berlin, at('2026-03-29T00:30Z'))).toBe(at('2026-03-29T01:30Z'));
	});
});
