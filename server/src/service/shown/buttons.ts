import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../contract/actions.ts';
import { type ActivityType, TYPES_WITHOUT_SECONDARY_ACTION } from '../../contract/content-state.ts';
import type { Answer, Button } from '../../contract/shown.ts';
import { triggerIn } from '../../contract/triggers.ts';
import type { ServiceSettings } from '../context.ts';
import { invalidField, invalidRequest } from '../refusal.ts';

/** A choice of a question, on its Live Activity. */
export interface ChoiceButton {
	title: string;
	type: 'choice';
	question_id: string;
	/** Its id. */
	choice: string;
}

export type AnyAction = Action | ChoiceButton;

/** The buttons a request sends for a Live Activity. */
export interface SentActions {
	action?: AnyAction;
	secondary_action?: AnyAction;
}

/**
 * `closed`: its activity or question has ended, and the end request did not send the button. `first`: the tap that
 * started its workflow; further taps do not.
 */
export type StoredAction = AnyAction & { closed?: true; first?: Answer; question_id?: string };

/** The stored buttons of a Live Activity, with the last answer to them. */
export interface ActivityActions {
	action?: StoredAction;
	secondary_action?: StoredAction;
	answer?: Answer;
	/** When one of them last changed, in milliseconds since 1970: a phone may still show the previous ones. */
	since?: number;
}

/** The trigger that a button starts. */
export const triggerOf = (button: AnyAction) =>
	button.type === 'webhook' ? triggerIn(button.url) : undefined;

/**
 * A button as the phone shows it. A webhook's URL stays on the server: it may hold a secret. For the phone, a choice
 * is a webhook too; the server knows the difference.
 */
export function shownButton(action: StoredAction, answer?: Answer): Button {
	const { title, type } = action;
	if (type === 'open_url') return { title, type, url: action.url };
	const isClosed = action.closed === true || action.first !== undefined || answer?.final === true;
	return { title, type: 'webhook', ...(isClosed && { closed: true as const }) };
}

/**
 * @param actions the buttons of a request, by their path in it
 * @throws Refusal `invalid` for a plain http webhook unless the server allows it; a trigger is not a webhook to call
 */
export function requireWebhooksAllowed(
	actions: Record<string, AnyAction | undefined>,
	{ allowPrivateWebhooks }: ServiceSettings,
): void {
	if (allowPrivateWebhooks) return;
	const issues = Object.entries(actions)
		.filter(
			([, action]) =>
				action?.type === 'webhook' && !/^https:/i.test(action.url) && !triggerOf(action),
		)
		.map(([path]) => ({
			path: `${path}.url`,
			message: 'must be an https URL (BECKON_WEBHOOK_ALLOW_PRIVATE=true on the server allows http)',
		}));
	if (issues.length > 0) throw invalidRequest(issues, 'Invalid action');
}

/**
 * The buttons after a request: those sent replace the stored ones. The stored answer remains until a
 * different button is sent.
 * @throws Refusal `invalid` when a second button is sent for a type with room for one
 */
export function changeActions(
	previous: ActivityActions,
	sent: SentActions,
	type: ActivityType,
	now: number,
) {
	const hasRoomForTwo = !TYPES_WITHOUT_SECONDARY_ACTION.includes(type);
	if (sent.secondary_action && !hasRoomForTwo) {
		const message = `cannot be used with a ${type} activity; send only action`;
		throw invalidField('secondary_action', message, 'Invalid action');
	}
	// A button that is sent again keeps its first tap.
	const current = (name: keyof SentActions) =>
		isOtherButton(sent[name], previous[name]) ? sent[name] : reopened(previous[name]);
	const action = current('action');
	const second = hasRoomForTwo ? current('secondary_action') : undefined;
	const hasNewButton =
		isOtherButton(sent.action, previous.action) ||
		isOtherButton(sent.secondary_action, previous.secondary_action);
	const answer = hasNewButton ? undefined : previous.answer;
	const since = hasNewButton ? now : previous.since;
	return {
		...(action && { action }),
		...(second && { secondary_action: second }),
		...(answer && { answer }),
		...(since !== undefined && { since }),
	} satisfies ActivityActions;
}

/** The buttons of an ended activity or question: only webhooks sent with the end itself can be tapped. */
export function closeActions(actions: ActivityActions, sent: SentActions): ActivityActions {
	const close = (name: keyof SentActions) => {
		const button = actions[name];
		const isKept = button && button.type !== 'open_url' && sent[name] === undefined;
		return isKept ? { [name]: { ...button, closed: true as const } } : {};
	};
	return { ...actions, ...close('action'), ...close('secondary_action') };
}

/** True if the request sends a button different from the stored one. */
export function isOtherButton(
	sent: AnyAction | undefined,
	stored: StoredAction | undefined,
): boolean {
	return sent !== undefined && !isDeepStrictEqual(sent, toOpenButton(stored));
}

/** A question that has ended does not open again. */
function reopened(action: StoredAction | undefined): StoredAction | undefined {
	if (!action || (action.closed && action.type === 'choice')) return undefined;
	const { closed: _closed, ...button } = action;
	return button;
}

/** A button before anybody tapped it; undefined: there is none, or its question has ended. */
export function toOpenButton(action: StoredAction | undefined): AnyAction | undefined {
	const { first: _first, ...button } = reopened(action) ?? {};
	return 'type' in button ? button : undefined;
}

/**
 * The button after an answer to it.
 * @param first the tap that closes it; null: it opens again; undefined: nothing changes
 */
export function answeredButton<B extends StoredAction>(button: B, first?: Answer | null): B {
	if (first === undefined) return button;
	const { first: _first, ...open } = button;
	return { ...open, ...(first && { first }) } as B;
}
