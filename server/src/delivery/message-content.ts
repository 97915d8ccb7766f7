import { answerWords } from '../contract/answer-words.ts';
import type { AlertPayload } from '../contract/common.ts';
import type { Delivery } from '../contract/device.ts';
import type { Notification, ShownActivity } from '../contract/shown.ts';
import { shortened } from '../contract/text.ts';
import type { OutgoingDelivery } from '../store/outbox/deliveries.ts';
import type { MessageKind } from '../store/schema.ts';

/** The columns of a message from which its content is read. */
interface ContentColumns {
	kind: MessageKind;
	content_json: string;
}

/** The content of a stored message, as sent to the device. */
export type MessageContent =
	| { kind: 'push'; push: Notification }
	| { kind: 'push_update'; push: Notification }
	| { kind: 'badge'; badge: number }
	| {
			kind: 'activity_start' | 'activity_update' | 'activity_end';
			activity: ShownActivity;
			alert?: AlertPayload;
	  };

/** Characters of a message that every phone gets; it asks for the rest when somebody reads on. */
export const MAX_CARRIED = 4_000;

/** A stored push as phones get it. A long message is cut, and marked as `shortened`. */
export function toNotification({ content_json }: { content_json: string }): Notification {
	const push = JSON.parse(content_json) as Notification;
	const { message = '' } = push;
	if (message.length <= MAX_CARRIED) return push;
	const beginning = shortened(message, MAX_CARRIED);
	return beginning === message ? push : { ...push, message: beginning, shortened: true };
}

/** @param delivery a muted or held one loses a Live Activity's alert, which would ask for attention */
export function toMessageContent(
	message: ContentColumns,
	{ isMuted, isHeld }: Pick<OutgoingDelivery, 'isMuted' | 'isHeld'>,
): MessageContent {
	const { kind } = message;
	if (kind === 'push' || kind === 'push_update') return { kind, push: toNotification(message) };
	const content: unknown = JSON.parse(message.content_json);
	if (kind === 'badge') return { kind, badge: content as number };
	const { activity, alert } = content as { activity: ShownActivity; alert?: AlertPayload };
	return { kind, activity, ...(alert && !isMuted && !isHeld && { alert }) };
}

/** True for an update that only removes a push from the screen. */
export function isClearing({ kind, content_json }: ContentColumns): boolean {
	return kind === 'push_update' && (JSON.parse(content_json) as Notification).cleared === true;
}

/**
 * What the messages of one notification share, so that a push service and a phone keep the last: a push with its
 * repeats, its answer and what replaces it, or the states of a Live Activity.
 */
export function toTag(
	{ history_id }: { history_id: string },
	content: object & { push?: Pick<Notification, 'sequence_id'> },
): string {
	return content.push?.sequence_id ?? history_id;
}

/** The text of a notification. The answer comes first: a long text is cut at its end. */
export function toBody(answer: Notification['answer'], ...texts: Array<string | undefined>) {
	const lines = [answer && answerWords(answer), ...texts].filter((text) => text !== undefined);
	return lines.join('\n') || undefined;
}

/** An entry of the device's inbox, in the form of the device protocol. */
export function shownDelivery(
	delivery: Pick<OutgoingDelivery, 'id' | 'isMuted' | 'isHeld' | 'pushDeliveryId'>,
	message: ContentColumns & { created_at: number },
): Delivery {
	const { id, isMuted, isHeld, pushDeliveryId } = delivery;
	const delivered = {
		id,
		sent_at: new Date(message.created_at).toISOString(),
		...(isMuted && { muted: true as const }),
		...(isHeld && { held: true as const }),
	};
	const content = toMessageContent(message, delivery);
	if (content.kind !== 'push_update') return { ...delivered, ...content };
	if (pushDeliveryId === undefined) throw new Error(`Delivery ${id} updates no push`);
	return { ...delivered, ...content, delivery_id: pushDeliveryId };
}
