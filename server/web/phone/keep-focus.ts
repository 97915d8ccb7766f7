/** Cards that are not being removed. */
const CARDS = '.card:not(.is-leaving)';

/** Call before a card is removed: if it has focus, the card after or before it gets it. */
export function passFocusOn(card: HTMLElement | null): void {
	if (!card?.contains(document.activeElement)) return;
	const cards = [...document.querySelectorAll<HTMLElement>(CARDS)];
	const index = cards.indexOf(card);
	const next = cards[index + 1] ?? cards[index - 1];
	const target = next ?? list();
	target?.focus({ preventScroll: next === undefined });
}

/** The lock screen's list, for when nothing in it is left to focus. */
const list = () => document.querySelector<HTMLElement>('.scroller');

/** Call after a change: if the focused element is gone, the target gets focus, by default the lock screen. */
export function takeLostFocus(target: HTMLElement | null = list()): void {
	if (document.activeElement === document.body) target?.focus({ preventScroll: true });
}
