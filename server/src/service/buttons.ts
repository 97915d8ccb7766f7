import type { Action } from '../contract/actions.ts';
import type { ActivityType } from '../contract/content-state.ts';
import { TYPES_WITHOUT_SECONDARY_ACTION } from '../contract/content-state.ts';
import type { Button } from '../contract/shown.ts';
import type { ServiceSettings } from './context.ts';
import { invalidRequest, Refusal } from './refusal.ts';

/** The buttons of a Live Activity as they are stored. */
export interface ActivityActions {
	action?: Action;
	secondary_action?: Action;
}

/** What a phone is told of a button; a webhook's URL stays here, for it may hold a secret. */
export function shownButton(action: Action): Button {
	return action.type === 'open_url'
		? { title: action.title, type: action.type, url: action.url }
		: { title: action.title, type: action.type };
}

/**
 * @param actions the buttons of a request, by their path in it
 * @throws Refusal `invalid` for a plain http webhook where the server does not allow it
 */
export function assertWebhooksAllowed(
	actions: Record<string, Action | undefined>,
	{ allowPrivateWebhooks }: ServiceSettings,
): void {
	if (allowPrivateWebhooks) return;
	const issues = Object.entries(actions)
		.filter(([, action]) => action?.type === 'webhook' && !/^https:/i.test(action.url))
		.map(([path]) => ({
			path: `${path}.url`,
			message: 'must be an https URL (BECKON_WEBHOOK_ALLOW_PRIVATE=true on the server allows http)',
		}));
	if (issues.length > 0) {
		const { message, details } = invalidRequest(issues);
		throw new Refusal('invalid', 'Invalid action', message, details);
	}
}

/**
 * The buttons after a request: those sent now replace the stored ones.
 * @throws Refusal `invalid` when a second button is sent for a type that has no room for it
 */
export function changeActions(
	previous: ActivityActions,
	sent: ActivityActions,
	type: ActivityType,
): ActivityActions {
	const hasRoomForTwo = !TYPES_WITHOUT_SECONDARY_ACTION.includes(type);
	if (sent.secondary_action && !hasRoomForTwo) {
		const { message, details } = invalidRequest([
			{
				path: 'secondary_action',
				message: `cannot be used with a ${type} activity; send only action`,
			},
		]);
		throw new Refusal('invalid', 'Invalid action', message, details);
	}
	const action = sent.action ?? previous.action;
	const second = hasRoomForTwo ? (sent.secondary_action ?? previous.secondary_action) : undefined;
	return { ...(action && { action }), ...(second && { secondary_action: second }) };
}
