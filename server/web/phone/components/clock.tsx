import { MINUTE } from '../../device/times.ts';
import { useNow } from '../hooks/use-now.ts';
import { Glyph } from '../symbols/symbol.tsx';

/** This device's time, in its owner's 12 or 24 hour format: big, or on one line where cards need the room. */
export function Clock({ isSmall = false }: { isSmall?: boolean }) {
	const now = new Date(useNow(MINUTE));
	return (
		<header className="clock" data-small={isSmall}>
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
