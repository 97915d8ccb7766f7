/** Cards that are there to stay. */
const CARDS = '.card:not(.is-leaving)';

/** Call before a card is removed: if it has the focus, the card after or before it gets it. */
export function passFocusOn(card: HTMLElement | null): void {
	if (!card?.contains(document.activeElement)) return;
	const cards = [...document.querySelectorAll<HTMLElement>(CARDS)];
	const index = cards.indexOf(card);
	const next = cards[index + 1] ?? cards[index - 1];
	const target = next?.querySelector<HTMLElement>('button, a') ?? focusless();
	target?.focus({ preventScroll: next === undefined });
}

/** The lock screen's list, for when nothing in it is left to take the focus. */
function focusless(): HTMLElement | null {
	return document.querySelector<HTMLElement>('.scroller');
}

/** Call when a screen has appeared: keyboards and screen readers go on from it. */
export function takeLostFocus(target: HTMLElement | null): void {
	if (document.activeElement === document.body) target?.focus({ preventScroll: true });
}
