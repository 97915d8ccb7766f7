import { type RefObject, useEffect, useEffectEvent } from 'react';

/** Pixels; less is a tap with an unsteady finger. */
const SLOP = 10;
/** Past this distance or speed (pixels per millisecond), the card is dismissed. */
const FAR = 110;
const FAST = 0.6;

/**
 * Dismisses `target` on a swipe to the left. The finger moves the element directly, without React, to
 * keep up with the screen's frame rate. Vertical movement still scrolls.
 */
export function useSwipe(target: RefObject<HTMLElement | null>, onDismiss: () => void): void {
	const dismiss = useEffectEvent(onDismiss);
	useEffect(() => {
		const listening = new AbortController();
		if (target.current) listen(target.current, () => dismiss(), listening.signal);
		return () => listening.abort();
	}, [target]);
}

function listen(element: HTMLElement, onDismiss: () => void, signal: AbortSignal): void {
	let start: { x: number; y: number; at: number; id: number } | undefined;
	let isSwiping = false;

	const onDown = (event: PointerEvent) => {
		// A mouse selects text; a finger does so by staying.
		const others = `audio, video, input, textarea${event.pointerType === 'mouse' ? ', .is-selectable' : ''}`;
		const isOnOther = event.target instanceof Element && event.target.closest(others) !== null;
		if (event.button !== 0 || isOnOther) return;
		start = { x: event.clientX, y: event.clientY, at: event.timeStamp, id: event.pointerId };
		isSwiping = false;
	};
	const onMove = (event: PointerEvent) => {
		if (start === undefined || event.pointerId !== start.id) return;
		const distance = event.clientX - start.x;
		if (!isSwiping) {
			if (Math.abs(distance) < SLOP || Math.abs(distance) < Math.abs(event.clientY - start.y))
				return;
			isSwiping = true;
			element.setPointerCapture(event.pointerId);
			element.classList.add('is-swiped');
		}
		// Swiping right does nothing; the card resists.
		const shift = distance < 0 ? distance : distance / 6;
		element.style.transform = `translateX(${shift}px)`;
		element.style.opacity = String(Math.max(0.25, 1 - Math.max(0, -shift) / 320));
	};
	const onUp = (event: PointerEvent) => {
		if (start === undefined || event.pointerId !== start.id) return;
		const distance = event.clientX - start.x;
		const speed = -distance / Math.max(1, event.timeStamp - start.at);
		start = undefined;
		if (!isSwiping) return;
		element.classList.remove('is-swiped');
		if (event.type === 'pointerup' && (distance < -FAR || (distance < -SLOP * 3 && speed > FAST))) {
			onDismiss();
			return;
		}
		element.style.transform = '';
		element.style.opacity = '';
	};
	/** Releasing a swipe must not count as a tap on the element under the finger. */
	const onClick = (event: MouseEvent) => {
		if (!isSwiping) return;
		isSwiping = false;
		event.preventDefault();
		event.stopPropagation();
	};
	const onDragStart = (event: DragEvent) => event.preventDefault();

	element.addEventListener('pointerdown', onDown, { signal });
	element.addEventListener('pointermove', onMove, { signal });
	element.addEventListener('pointerup', onUp, { signal });
	element.addEventListener('pointercancel', onUp, { signal });
	element.addEventListener('click', onClick, { capture: true, signal });
	element.addEventListener('dragstart', onDragStart, { signal });
}
