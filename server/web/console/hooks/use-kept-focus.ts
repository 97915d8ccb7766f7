import { useEffect } from 'react';

/**
 * Keeps keyboard focus where a browser would drop it: a button disabled while it works gets the focus
 * back afterwards; if the focused element leaves the page, the open dialog gets it, or what had it before the
 * dialog, or the page.
 */
export function useKeptFocus(): void {
	useEffect(() => {
		let last: Element | null = null;
		let wasDisabled = false;
		let beforeDialog: HTMLElement | null = null;
		const hold = (element: Element | null) => {
			last = element;
			wasDisabled = false;
		};
		const onFocus = ({ target }: FocusEvent) => {
			const isInDialog = (target as Element).closest(DIALOG) !== null;
			if (isInDialog && last?.isConnected && !last.closest(DIALOG))
				beforeDialog = last as HTMLElement;
			hold(target as Element);
		};
		// A click outside drops focus on purpose.
		const onPointer = ({ target }: PointerEvent) => {
			if (!last?.contains(target as Node)) hold(null);
		};
		const observer = new MutationObserver(() => {
			if (!last) return;
			if (last.isConnected && last.matches(':disabled')) {
				wasDisabled = true;
				return;
			}
			const isLost = document.activeElement === document.body;
			if (isLost && !last.isConnected) placeToGoOn(beforeDialog)?.focus({ preventScroll: true });
			else if (isLost && wasDisabled) (last as HTMLElement).focus({ preventScroll: true });
			wasDisabled = false;
		});
		document.addEventListener('focusin', onFocus);
		document.addEventListener('pointerdown', onPointer);
		observer.observe(document.body, {
			subtree: true,
			childList: true,
			attributes: true,
			attributeFilter: ['disabled'],
		});
		return () => {
			observer.disconnect();
			document.removeEventListener('focusin', onFocus);
			document.removeEventListener('pointerdown', onPointer);
		};
	}, []);
}

const DIALOG = '[role="dialog"]';

function placeToGoOn(beforeDialog: HTMLElement | null): HTMLElement | null {
	const dialog = document.querySelector<HTMLElement>(DIALOG);
	return dialog ?? (beforeDialog?.isConnected ? beforeDialog : document.getElementById('main'));
}
