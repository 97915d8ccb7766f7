import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

interface Place {
	node: HTMLElement;
	top: number;
	left: number;
	width: number;
	height: number;
}

interface Places {
	cards: Map<string, Place>;
	/** Pixels from the top of the scrolled content to the container. */
	origin: number;
	/** When a card was last new, on the clock of `performance`. */
	enteredAt: number;
}

const MOVE_MS = 420;
const MOVE: KeyframeAnimationOptions = {
	duration: MOVE_MS,
	easing: 'cubic-bezier(0.2, 0.9, 0.25, 1)',
};
const NEW = { transform: 'translateY(-28px) scale(0.94)', opacity: 0 };
const LEAVE: KeyframeAnimationOptions = { duration: 240, easing: 'ease-in', fill: 'forwards' };

/**
 * Animates everything marked `data-flip` inside `container`: cards slide to a new place, new ones drop
 * in, removed ones fade out. Animates transforms only, so there is no layout in between. `container` must
 * be the marked elements' offset parent.
 */
export function useCardMotion(container: RefObject<HTMLElement | null>): void {
	const places = useRef<Places | undefined>(undefined);

	useLayoutEffect(() => {
		if (container.current !== null) places.current = settle(container.current, places.current);
	});

	useEffect(() => {
		const listening = new AbortController();
		const { signal } = listening;
		container.current?.addEventListener('click', ignoreStartled, { capture: true, signal });
		return () => listening.abort();
	}, [container]);

	// Expanding a card moves others without a render of this component.
	useLayoutEffect(() => {
		const element = container.current;
		if (element === null) return undefined;
		const observer = new ResizeObserver(() => {
			places.current = settle(element, places.current);
		});
		observer.observe(element);
		return () => observer.disconnect();
	}, [container]);
}

function settle(container: HTMLElement, before: Places | undefined): Places {
	const after = measure(container);
	if (before === undefined) return after;
	const scrolled = keepInPlace(container, before, after);
	const isNew = [...after.cards.keys()].some((key) => !before.cards.has(key));
	if (!isNew) after.enteredAt = before.enteredAt;
	// In a burst nothing slides: cards would not come to rest before the next one arrives.
	const isBurst = isNew && after.enteredAt - before.enteredAt < MOVE_MS;
	const isStill = isBurst || matchMedia('(prefers-reduced-motion: reduce)').matches;
	for (const [key, { node, top }] of after.cards) {
		const old = before.cards.get(key);
		const shift = old && before.origin + old.top - after.origin - top + scrolled;
		if (shift === 0) continue;
		if (shift !== undefined) movedAt.set(node, performance.now());
		if (!isStill) slide(node, shift);
	}
	for (const [key, place] of before.cards) {
		if (!isStill && !after.cards.has(key)) leave(container, place);
	}
	return after;
}

/**
 * Keeps in place what is read or written, as scroll anchoring does in some browsers. At the top, new cards come into
 * view.
 * @returns pixels scrolled down
 */
function keepInPlace(container: HTMLElement, before: Places, after: Places): number {
	const scroller = container.closest('.scroller');
	if (scroller === null) return 0;
	const { scrollTop } = scroller;
	const focused = document.activeElement;
	const inUse = focused?.matches(':focus-visible')
		? focused.closest<HTMLElement>('[data-flip]')?.dataset.flip
		: undefined;
	const isRead = ([key, { top, height }]: [string, Place]) =>
		after.cards.has(key) && before.origin + top + height > scrollTop;
	const anchor = inUse ?? (scrollTop > 0 ? [...before.cards].find(isRead)?.[0] : undefined);
	const [old, place] = [before.cards.get(anchor ?? ''), after.cards.get(anchor ?? '')];
	if (!old || !place) return 0;
	scroller.scrollTop += after.origin + place.top - before.origin - old.top;
	return scroller.scrollTop - scrollTop;
}

function measure(container: HTMLElement): Places {
	const cards = new Map<string, Place>();
	for (const node of container.querySelectorAll<HTMLElement>('[data-flip]')) {
		if (node.inert) continue;
		const { offsetTop: top, offsetLeft: left, offsetWidth: width, offsetHeight: height } = node;
		cards.set(node.dataset.flip ?? '', { node, top, left, width, height });
	}
	const scrollerTop = container.closest<HTMLElement>('.scroller')?.offsetTop ?? 0;
	const origin = container.offsetTop - scrollerTop;
	return { cards, origin, enteredAt: performance.now() };
}

/** A tap within this many milliseconds of a move was meant for what was there before. */
const STARTLED_MS = 350;

const movedAt = new WeakMap<Element, number>();

function ignoreStartled(event: MouseEvent): void {
	// The keyboard's clicks have no detail: focus moves with the card.
	if (event.detail === 0 || !(event.target instanceof Element)) return;
	// Controls that only show more do no harm if tapped by mistake.
	if (event.target.closest('.expand-button, [data-flip="history"]') !== null) return;
	const card = event.target.closest('[data-flip]');
	if (card === null || performance.now() - (movedAt.get(card) ?? -Infinity) > STARTLED_MS) return;
	event.preventDefault();
	event.stopPropagation();
}

/** @param from pixels above its place; absent: it is new, and drops in */
function slide(node: HTMLElement, from: number | undefined): void {
	node.animate([from === undefined ? NEW : { transform: `translateY(${from}px)` }, {}], MOVE);
}

/** React has removed the node; it is put back, out of the layout, until it has faded. */
function leave(container: HTMLElement, { node, top, left, width }: Place): void {
	if (node.isConnected) return;
	const wasSwiped = node.style.transform !== '';
	node.inert = true;
	node.setAttribute('aria-hidden', 'true');
	node.classList.add('is-leaving');
	node.style.top = `${top}px`;
	node.style.left = `${left}px`;
	node.style.width = `${width}px`;
	container.append(node);
	const end = wasSwiped
		? { transform: 'translateX(-110%)', opacity: 0 }
		: { transform: 'scale(0.9)', opacity: 0 };
	node.animate([end], LEAVE).finished.then(
		() => node.remove(),
		() => node.remove(),
	);
}
