import { useNow } from '../../phone/hooks/use-now.ts';
import { fullTime, relativeTime } from '../../device/relative-time.ts';

/** "2 min ago", updated by itself. */
export function Ago({ at }: { at: string | null }) {
	const now = useNow(10_000);
	if (at === null) return <>Never</>;
	return (
		<time
			dateTime={at}
			// Only when needed: a browser takes as long for its first full time as for drawing a long list.
			onPointerEnter={({ currentTarget }) => {
				currentTarget.title = fullTime(at);
			}}
		>
			{relativeTime(at, now)}
		</time>
	);
}
