import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { BoundedMap } from '../../collections.ts';

/** Offsets change only at quarter hours of UTC. */
const STEP = 15 * MINUTE_MS;

/** A format takes 80 KB. */
export const formats = new BoundedMap<string, Intl.DateTimeFormat>(100);
const offsets = new BoundedMap<string, number>(5_000);

/** The zone's offset from UTC in milliseconds, east positive. Cached, as Intl takes microseconds. */
function offsetAt(timeZone: string, at: number): number {
	const start = Math.floor(at / STEP) * STEP;
	return offsets.getOr(`${timeZone} ${start}`, () => readOffset(timeZone, start));
}

function readOffset(timeZone: string, at: number): number {
	const toFormat = () => new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
	const format = formats.getOr(timeZone, toFormat);
	// As in “3/1/2026, GMT-03:30”; UTC has no digits.
	const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(format.format(at)) ?? [];
	const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
	return sign === '-' ? -size : size;
}

/** The wall clock of a zone, as the UTC time of the same digits. */
export function toWall(timeZone: string, at: number): number {
	return at + offsetAt(timeZone, at);
}

/**
 * The instant at which the wall clock of a zone shows a time. Of two such instants, the first; if there
 * is none, because the clock was set forward, the one that much later (RFC 5545 section 3.3.5).
 */
export function fromWall(timeZone: string, wall: number): number {
	const before = wall - offsetAt(timeZone, wall - DAY_MS);
	const after = wall - offsetAt(timeZone, wall + DAY_MS);
	const shows = (at: number) => toWall(timeZone, at) === wall;
	const [first, second] = before < after ? [before, after] : [after, before];
	if (shows(first)) return first;
	return shows(second) ? second : before;
}
