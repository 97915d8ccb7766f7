import type { AlertPayload } from '../../contract/common.ts';
import type { Button, Notification, ShownActivity } from '../../contract/shown.ts';
import { isOfActivity, type Message } from '../../store/outbox/messages.ts';
import type { Urgency } from './quiet.ts';

const isWebhook = (button: Button | undefined) => button?.type === 'webhook';

/** The urgency of a stored message; undefined if it never interrupts. */
export function messageUrgency(
	message: Pick<Message, 'kind' | 'content_json'>,
): Urgency | undefined {
	const content: unknown = JSON.parse(message.content_json);
	if (message.kind === 'push') {
		const { interruption_level: level, actions = [] } = content as Notification;
		return { level, isQuestion: actions.some(isWebhook) };
	}
	if (!isOfActivity(message)) return undefined;
	const { activity, alert } = content as { activity: ShownActivity; alert?: AlertPayload };
	if (!alert) return undefined;
	const buttons = [activity.action, activity.secondary_action];
	return { level: 'active', isQuestion: buttons.some(isWebhook) };
}
