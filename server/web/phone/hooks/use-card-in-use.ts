import { type RefObject, useEffect, useState } from 'react';

/** Sections that a card leaves once it was answered or seen. */
const LEFT = '.questions .card, .urgent .card';

/** The key of the focused card in one of these sections of `container`, until the page is hidden. */
export function useCardInUse(container: RefObject<HTMLElement | null>): string | undefined {
	const [inUse, setInUse] = useState<string>();
	useEffect(() => {
		const listening = new AbortController();
		const { signal } = listening;
		const follow = (target: EventTarget | null) => {
			const card = target instanceof Element ? target.closest<HTMLElement>(LEFT) : null;
			setInUse(card?.dataset.flip);
		};
		container.current?.addEventListener('focusin', ({ target }) => follow(target), { signal });
		container.current?.addEventListener(
			'focusout',
			// A window that loses focus leaves it where it is.
			({ relatedTarget }) => follow(relatedTarget ?? document.activeElement),
			{ signal },
		);
		document.addEventListener('visibilitychange', () => document.hidden && setInUse(undefined), {
			signal,
		});
		return () => listening.abort();
	}, [container]);
	return inUse;
}
