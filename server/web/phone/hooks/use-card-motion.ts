import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

interface Place {
	node: HTMLElement;
	top: number;
	left: number;
	width: number;
}

type Places = Map<string, Place>;

const MOVE: KeyframeAnimationOptions = { duration: 420, easing: 'cubic-bezier(0.2, 0.9, 0.25, 1)' };
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
	if (before === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches) return after;
	for (const [key, place] of after) {
		const old = before.get(key);
		if (old === undefined) enter(place.node);
		else if (old.top !== place.top) move(place.node, old.top - place.top);
	}
	for (const [key, place] of before) {
		if (!after.has(key)) leave(container, place);
	}
	return after;
}

function measure(container: HTMLElement): Places {
	const places: Places = new Map();
	for (const node of container.querySelectorAll<HTMLElement>('[data-flip]')) {
		if (node.inert) continue;
		const { offsetTop: top, offsetLeft: left, offsetWidth: width } = node;
		places.set(node.dataset.flip ?? '', { node, top, left, width });
	}
	return places;
}

function enter(node: HTMLElement): void {
	node.animate([{ transform: 'translateY(-28px) scale(0.94)', opacity: 0 }, {}], MOVE);
}

/** A tap so soon after a card has moved was meant for what was there before. */
const STARTLED_MS = 350;

const movedAt = new WeakMap<Element, number>();

function ignoreStartled(event: MouseEvent): void {
	// The keyboard's clicks have no detail: focus moves with the card.
	if (event.detail === 0 || !(event.target instanceof Element)) return;
	const card = event.target.closest('[data-flip]');
	if (card === null || performance.now() - (movedAt.get(card) ?? -Infinity) > STARTLED_MS) return;
	event.preventDefault();
	event.stopPropagation();
}

function move(node: HTMLElement, from: number): void {
	movedAt.set(node, performance.now());
	node.animate([{ transform: `translateY(${from}px)` }, {}], MOVE);
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
