import { useNow } from '../hooks/use-now.ts';
import { fullTime, relativeTime } from '../../device/relative-time.ts';

const STEP = 10_000;

/** "2m ago", updated by itself. `clockOffset`: server clock minus this device's. */
export function RelativeTime({ at, clockOffset }: { at: string; clockOffset: number }) {
	const now = useNow(STEP) + clockOffset;
	return (
		<time className="relative-time" dateTime={at} title={fullTime(at)}>
			{relativeTime(at, now)}
		</time>
	);
}
