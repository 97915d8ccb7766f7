/** Dates and times in the browser's language and 12 or 24 hour format. */

/** In milliseconds, like the constants below. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const isSameYear = (a: Date, b: Date) => a.getFullYear() === b.getFullYear();

/** The day and month, with the year unless it is this one. `now`: on this device's clock. */
export function day(then: Date, now: number): string {
	const year = isSameYear(then, new Date(now)) ? undefined : 'numeric';
	return then.toLocaleDateString([], { month: 'short', day: 'numeric', year });
}

/** The time of day, with the day unless it is today. `now`: on this device's clock. */
export function clockTime(at: number, now = Date.now()): string {
	const [then, today] = [new Date(at), new Date(now)];
	const time = { hour: 'numeric', minute: '2-digit' } as const;
	if (then.toDateString() === today.toDateString()) return then.toLocaleTimeString([], time);
	const year = isSameYear(then, today) ? undefined : 'numeric';
	const date = { weekday: 'short', day: 'numeric', month: 'short', year } as const;
	return then.toLocaleString([], { ...time, ...date });
}

/** This device's time zone, as IANA names it. */
export function ownTimeZone(): string {
	return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
