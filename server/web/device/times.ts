/** Dates and times in the browser's language and 12 or 24 hour format. */

/** The time of day, with the day unless it is today. `now`: on this device's clock. */
export function clockTime(at: number, now = Date.now()): string {
	const then = new Date(at);
	const time = { hour: 'numeric', minute: '2-digit' } as const;
	if (then.toDateString() === new Date(now).toDateString())
		return then.toLocaleTimeString([], time);
	return then.toLocaleString([], { ...time, weekday: 'short', day: 'numeric', month: 'short' });
}

/** This device's time zone, as IANA names it. */
export function ownTimeZone(): string {
	return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
