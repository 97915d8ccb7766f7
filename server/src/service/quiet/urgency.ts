import type { AlertPayload } from '../../contract/common.ts';
import type { InterruptionLevel } from '../../contract/values.ts';
import type { Notification, ShownActivity } from '../../contract/shown.ts';
import { isOfActivity, type Message } from '../../store/outbox/messages.ts';
import type { Urgency } from './rules.ts';

/** The urgency of a push, or of a Live Activity's alert: with a webhook button it is a question. */
export function toUrgency(
	level: InterruptionLevel,
	buttons: ReadonlyArray<{ type: string } | null | undefined>,
): Urgency {
	return { level, isQuestion: buttons.some((button) => button?.type === 'webhook') };
}

/** The urgency of a push, which may ask a question. */
export function pushUrgency({
	interruption_level: level,
	actions = [],
	question,
	channels,
}: Notification): Urgency {
	const urgency = { ...toUrgency(level, actions), channels };
	return question ? { ...urgency, isQuestion: true } : urgency;
}

/** The urgency of a stored message; undefined if it never interrupts. */
export function messageUrgency(
	message: Pick<Message, 'kind' | 'content_json'>,
): Urgency | undefined {
	const content: unknown = JSON.parse(message.content_json);
	if (message.kind === 'push') return pushUrgency(content as Notification);
	if (!isOfActivity(message)) return undefined;
	const { activity, alert } = content as { activity: ShownActivity; alert?: AlertPayload };
	return alert && toUrgency('active', [activity.action, activity.secondary_action]);
}
