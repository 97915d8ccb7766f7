import { useEffect } from 'react';
import { takeLostFocus } from '../keep-focus.ts';

/** Returns focus to the element that had it before, once the component is gone. */
export function useReturnFocus(): void {
	useEffect(() => {
		const before = document.activeElement;
		return () => {
			if (before instanceof HTMLElement && before.isConnected) before.focus();
			takeLostFocus();
		};
	}, []);
}
