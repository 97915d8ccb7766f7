const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** Offsets change only at quarter hours of UTC. */
const STEP = 15 * MINUTE;
const MOST_KEPT = 5_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
	const known = formats.get(timeZone);
	if (known) return known;
	const format = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
	});
	formats.set(timeZone, format);
	return format;
}

/** The zone's offset from UTC in milliseconds, east positive. Cached, as Intl takes microseconds. */
function offsetAt(timeZone: string, at: number): number {
	const start = Math.floor(at / STEP) * STEP;
	const key = `${timeZone} ${start}`;
	const known = offsets.get(key);
	if (known !== undefined) return known;
	const parts = new Map(
		formatOf(timeZone)
			.formatToParts(start)
			.map(({ type, value }) => [type, Number(value)]),
	);
	const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
	const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
	if (offsets.size >= MOST_KEPT) offsets.clear();
	offsets.set(key, wall - start);
	return wall - start;
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
	const before = wall - offsetAt(timeZone, wall - DAY);
	const after = wall - offsetAt(timeZone, wall + DAY);
	const shows = (at: number) => toWall(timeZone, at) === wall;
	const [first, second] = before < after ? [before, after] : [after, before];
	if (shows(first)) return first;
	return shows(second) ? second : before;
}
