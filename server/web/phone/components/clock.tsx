import { useNow } from '../hooks/use-now.ts';
import { Glyph } from '../symbols/symbol.tsx';

const MINUTE = 60_000;

/** The big clock: this device's time, in its owner's 12 or 24 hour format. */
export function Clock() {
	const now = new Date(useNow(MINUTE));
	return (
		<header className="clock">
			<Glyph name="lock" className="clock-lock" />
			<p className="clock-date" dir="auto">
				{now.toLocaleDateString([], { weekday: 'long', month: 'long', day: 'numeric' })}
			</p>
			<time className="clock-time" dateTime={now.toISOString()}>
				{clockTime(now)}
			</time>
		</header>
	);
}

function clockTime(now: Date): string {
	return new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
		.formatToParts(now)
		.filter(({ type }) => type === 'hour' || type === 'minute')
		.map(({ value }) => value)
		.join(':');
}
