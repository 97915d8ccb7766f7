import { describe, expect, it } from '@jest/globals';
import type { ShownTimer } from '../../src/contract/shown.ts';
import { clockText, readTimer } from '../../web/device/timer.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const at = (seconds: number) => START + seconds * 1000;

const countdown = (changes: Partial<ShownTimer> = {}): ShownTimer => ({
	is_running: true,
	counts_down: true,
	started_at: iso(0),
	ends_at: iso(600),
	elapsed_seconds: 0,
	duration_seconds: 600,
	...changes,
});

describe('clockText', () => {
	it.each([
		[0, '0:00'],
		[9, '0:09'],
		[754, '12:34'],
		[3600, '1:00:00'],
		[3723, '1:02:03'],
		[47 * 3600, '47:00:00'],
		[2 * 86_400 + 3723, '2d 01:02:03'],
	])('writes %d seconds as %s', (seconds, text) => {
		expect(clockText(seconds)).toBe(text);
	});
});

describe('a countdown', () => {
	it('shows what is left and how far it has come', () => {
		expect(readTimer(countdown(), at(150))).toEqual({
			text: '7:30',
			phase: 'running',
			fraction: 0.25,
		});
	});

	it('shows a begun second as a whole one, so that 0:00 means the end', () => {
		expect(readTimer(countdown(), at(599.2)).text).toBe('0:01');
		expect(readTimer(countdown(), at(600))).toEqual({ text: '0:00', phase: 'done', fraction: 1 });
	});

	it('stays at zero after its end', () => {
		expect(readTimer(countdown(), at(7200))).toEqual({ text: '0:00', phase: 'done', fraction: 1 });
	});

	it('stands still while paused, whatever the time', () => {
		const paused = countdown({ is_running: false, elapsed_seconds: 100 });
		expect(readTimer(paused, at(100))).toEqual(readTimer(paused, at(5000)));
		expect(readTimer(paused, at(5000))).toMatchObject({ text: '8:20', phase: 'paused' });
	});

	it('goes on after a pause where the moved window says', () => {
		const resumed = countdown({ started_at: iso(60), ends_at: iso(660) });
		expect(readTimer(resumed, at(160)).text).toBe('8:20');
	});

	it('never shows more than its duration where this clock is behind the server', () => {
		expect(readTimer(countdown(), at(-0.8)).text).toBe('10:00');
		expect(readTimer(countdown(), at(-30)).fraction).toBe(0);
	});
});

describe('a stopwatch', () => {
	const stopwatch: ShownTimer = {
		is_running: true,
		counts_down: false,
		started_at: iso(0),
		elapsed_seconds: 0,
	};

	it('counts whole seconds up and has no bar without a duration', () => {
		expect(readTimer(stopwatch, at(61.9))).toEqual({
			text: '1:01',
			phase: 'running',
			fraction: undefined,
		});
	});

	it('goes on counting past its duration', () => {
		expect(readTimer({ ...stopwatch, duration_seconds: 60 }, at(90))).toEqual({
			text: '1:30',
			phase: 'running',
			fraction: 1,
		});
	});

	it('shows what had passed when it was paused', () => {
		expect(
			readTimer({ ...stopwatch, is_running: false, elapsed_seconds: 45 }, at(4000)),
		).toMatchObject({
			text: '0:45',
			phase: 'paused',
		});
	});

	it('does not count below zero', () => {
		expect(readTimer(stopwatch, at(-5)).text).toBe('0:00');
	});
});
