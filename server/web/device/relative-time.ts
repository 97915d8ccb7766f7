const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "now", "2m ago", "3h ago", "yesterday", then the date. `now` is in milliseconds. */
export function relativeTime(timestamp: string, now: number): string {
	const then = Date.parse(timestamp);
	const age = now - then;
	if (age < MINUTE) return 'now';
	if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
	if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
	if (age < 2 * DAY) return 'yesterday';
	return new Date(then).toLocaleDateString([], { month: 'short', day: 'numeric' });
}

/** The full date and time, for tooltips. */
export function fullTime(timestamp: string): string {
	return new Date(timestamp).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' });
}
