import { DAY, day, HOUR, MINUTE } from './times.ts';

/** "now", "2m ago", "3h ago", "yesterday" for the day before, then the date. `now` is in milliseconds. */
export function relativeTime(timestamp: string, now: number): string {
	const then = new Date(timestamp);
	const age = now - then.getTime();
	if (age < MINUTE) return 'now';
	if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
	if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
	// Where clocks change, a day has 23 or 25 hours.
	const yesterday = new Date(now);
	yesterday.setDate(yesterday.getDate() - 1);
	return then.toDateString() === yesterday.toDateString() ? 'yesterday' : day(then, now);
}

/** The full date and time, for tooltips. */
export function fullTime(timestamp: string): string {
	return new Date(timestamp).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' });
}
