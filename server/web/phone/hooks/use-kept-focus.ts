import { type RefObject, useEffect, useRef } from 'react';
import { takeLostFocus } from '../keep-focus.ts';

/**
 * Focuses the first button in `part` when a change has replaced the button that had focus.
 * @param shown decides which buttons there are; undefined: not known yet
 */
export function useKeptFocus(
	part: RefObject<HTMLElement | null>,
	shown: string | boolean | undefined,
): void {
	const before = useRef(shown);
	useEffect(() => {
		const isChange = before.current !== undefined && before.current !== shown;
		before.current = shown;
		if (isChange) takeLostFocus(part.current?.querySelector('button') ?? undefined);
	}, [part, shown]);
}
