import { type RefObject, useEffect, useEffectEvent, useState } from 'react';

/** Milliseconds after a finger is lifted, unless its tap comes first. */
const TAP_MS = 100;

/** Whoever holds longer is reading, not tapping. */
const MAX_STEADY_MS = 5_000;

/** The value, which does not change while a finger or a mouse button is down on `target`. */
export function useSteady<T>(value: T, target: RefObject<HTMLElement | null>): T {
	const [held, setHeld] = useState<{ value: T }>();
	const holdValue = useEffectEvent(() => setHeld({ value }));
	useEffect(() => {
		const element = target.current;
		if (element === null) return undefined;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const releaseAfter = (delay: number) => {
			clearTimeout(timer);
			timer = setTimeout(() => setHeld(undefined), delay);
		};
		const hold = () => {
			holdValue();
			releaseAfter(MAX_STEADY_MS);
		};
		const release = () => releaseAfter(TAP_MS);
		const listening = new AbortController();
		const { signal } = listening;
		element.addEventListener('pointerdown', hold, { signal });
		window.addEventListener('pointerup', release, { signal });
		window.addEventListener('pointercancel', release, { signal });
		window.addEventListener('click', () => releaseAfter(0), { signal });
		return () => {
			listening.abort();
			clearTimeout(timer);
		};
	}, [target]);
	return held ? held.value : value;
}
