import { categoryOf, OTHER_CATEGORY } from '../../server/src/contract/categories.ts';
import type { DismissalRequest, Snapshot } from '../../server/src/contract/device.ts';

/** iOS keeps the categories of notifications on screen; the server takes up to 64 ids. */
const MAX_CATEGORIES = 60;

export interface Category {
	id: string;
	/** Titles of its buttons, in the order of the push. */
	titles: string[];
}

/**
 * Buttons that even the first message may have. iOS reports a dismissal only if the notification has a category, so
 * there is one without buttons too.
 */
const COMMON = [[], ['Approve', 'Decline'], ['Yes', 'No'], ['Approve'], ['OK']];

const toCategory = (titles: string[]): Category => ({
	id: categoryOf(titles.map((title) => ({ title }))),
	titles,
});

/** The categories to register with iOS: common buttons, and those of the messages that the phone has. */
export function categoriesFor(snapshot: Pick<Snapshot, 'notifications'> | undefined): Category[] {
	const recent = (snapshot?.notifications ?? []).map(({ push }) =>
		(push.actions ?? []).filter(({ closed }) => !closed).map(({ title }) => title),
	);
	const all = [...COMMON, ...recent].map(toCategory);
	const byId = new Map(all.map((category) => [category.id, category]));
	byId.delete(OTHER_CATEGORY);
	const first = [...byId.values()].slice(0, MAX_CATEGORIES);
	return [...first, { id: OTHER_CATEGORY, titles: ['Answer…'] }];
}

/** What the person did with a notification. */
export type Response =
	| { kind: 'tap'; deliveryId: number; action: number }
	| { kind: 'dismissal'; dismissed: DismissalRequest }
	| { kind: 'open' };

/** The identifier of a button. */
export const buttonId = (index: number) => `button-${index}`;

/** Apple's name for a dismissal (UNNotificationDismissActionIdentifier). */
export const DISMISSED = 'com.apple.UNNotificationDismissActionIdentifier';

/** What the server sends with a notification, as far as the app reads it. */
export interface Payload {
	aps?: { category?: string };
	/** `activity_id`: it is shown in place of this Live Activity. */
	beckon?: { delivery_id?: unknown; activity_id?: unknown };
}

/**
 * Reads a response of iOS. The ids are in the push itself: for a push that no Expo service sent, they are not among the
 * content's data.
 */
export function readResponse(identifier: string, payload: Payload | undefined): Response {
	const { delivery_id: deliveryId, activity_id: activityId } = payload?.beckon ?? {};
	if (typeof deliveryId !== 'number') return { kind: 'open' };
	if (identifier === DISMISSED) {
		const isActivity = typeof activityId === 'string';
		const dismissed = isActivity ? { activity_id: activityId } : { delivery_id: deliveryId };
		return { kind: 'dismissal', dismissed };
	}
	const [, index] = /^button-(\d)$/.exec(identifier) ?? [];
	// The button of `beckon-other` opens the app.
	if (index === undefined || payload?.aps?.category === OTHER_CATEGORY) return { kind: 'open' };
	return { kind: 'tap', deliveryId, action: Number(index) };
}

/** Keeps responses until somebody takes them: before the app listens, Expo keeps only the last one. */
export class Waiting<T> {
	#waiting: T[] = [];
	#take: ((value: T) => void) | undefined;

	add(value: T): void {
		if (this.#take) this.#take(value);
		else this.#waiting.push(value);
	}

	/** Takes all responses, past and future. @returns a function that stops it */
	follow(take: (value: T) => void): () => void {
		this.#take = take;
		for (const value of this.#waiting.splice(0)) take(value);
		return () => (this.#take = undefined);
	}
}
