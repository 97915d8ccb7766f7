import { categoryOf, OTHER_CATEGORY } from '../../server/src/contract/categories.ts';
import type { Snapshot } from '../../server/src/contract/device.ts';

/** iOS keeps those of notifications on screen; the server takes up to 64 ids. */
const MOST_CATEGORIES = 60;

export interface Category {
	id: string;
	/** Titles of its buttons, in the order of the push. */
	titles: string[];
}

/**
 * Buttons that a first message may already have. iOS tells of a dismissal only if the notification has a category, so
 * that without buttons has one too.
 */
const COMMON: readonly string[][] = [
	[],
	['Approve', 'Decline'],
	['Yes', 'No'],
	['Approve'],
	['OK'],
];

const toCategory = (titles: string[]): Category => ({
	id: categoryOf(titles.map((title) => ({ title }))),
	titles,
});

/** The categories to register with iOS: common buttons, and those of the messages that the phone has. */
export function categoriesFor(snapshot: Pick<Snapshot, 'notifications'> | undefined): Category[] {
	const recent = (snapshot?.notifications ?? [])
		.map(({ push }) => (push.actions ?? []).filter(({ closed }) => !closed))
		.filter((buttons) => buttons.length > 0)
		.map((buttons) => buttons.map(({ title }) => title));
	const all = [...COMMON, ...recent].map(toCategory);
	const byId = new Map(all.map((category) => [category.id, category]));
	return [
		...[...byId.values()].slice(0, MOST_CATEGORIES),
		{ id: OTHER_CATEGORY, titles: ['Answer…'] },
	];
}

/** What the person did with a notification. */
export type Response =
	| { kind: 'tap'; deliveryId: number; action: number }
	| { kind: 'dismissal'; deliveryId: number }
	| { kind: 'open' };

/** The identifier of a button. */
export const buttonId = (index: number) => `button-${index}`;

/** Apple's name for a dismissal (UNNotificationDismissActionIdentifier). */
const DISMISSED = 'com.apple.UNNotificationDismissActionIdentifier';

/**
 * Reads a response of iOS. The delivery's id is in the push itself: for a push that no Expo service sent, it is not
 * among the content's data.
 * @param category of the notification: the button of `beckon-other` opens the app
 */
export function readResponse(
	identifier: string,
	payload: { aps?: { category?: string }; beckon?: { delivery_id?: unknown } } | undefined,
): Response {
	const deliveryId = payload?.beckon?.delivery_id;
	if (typeof deliveryId !== 'number') return { kind: 'open' };
	if (identifier === DISMISSED) return { kind: 'dismissal', deliveryId };
	const [, index] = /^button-(\d)$/.exec(identifier) ?? [];
	if (index === undefined || payload?.aps?.category === OTHER_CATEGORY) return { kind: 'open' };
	return { kind: 'tap', deliveryId, action: Number(index) };
}
