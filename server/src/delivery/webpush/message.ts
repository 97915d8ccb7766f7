import type { Delivery, PushMessage } from '../../contract/device.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import {
	cutText,
	drop,
	truncateToFit,
	type Step,
	stepsOfActivity,
	stepsOfQuestion,
} from '../fit.ts';
import { ACTIVITY_SECONDS, KEEP_SECONDS } from '../gateway.ts';
import { type MessageContent, shownDelivery, toBody, toTag } from '../message-content.ts';

/**
 * Largest text every push service accepts: 4,096 bytes (RFC 8030 section 7.2) minus the header, the padding
 * delimiter and the tag of aes128gcm (RFC 8188).
 */
export const MAX_TEXT_BYTES = 3_993;

/** TTL, Urgency and Topic of RFC 8030 sections 5.2 to 5.4. */
export type PushHeaders = Record<'ttl' | 'urgency' | 'topic', string>;

/** Content a closed page can receive: each message must show a notification, which a badge does not. */
type Notifiable<T extends { kind: string }> = Exclude<T, { kind: 'badge' }>;

/**
 * A newer message with the same topic replaces one the push service still holds; on the phone, the tag does the
 * same to the notification. So a phone that was off gets only the last of a push, its repeats and its answer,
 * or of a Live Activity's states. The id of their history entry, or of their sequence, is at most 32 characters of
 * base64url, the longest topic allowed.
 */
export function toHeaders(
	{ message }: OutgoingDelivery,
	content: Notifiable<MessageContent>,
	now: number,
): PushHeaders {
	const left = message.expires_at === null ? Infinity : (message.expires_at - now) / 1_000;
	const kept = 'push' in content ? KEEP_SECONDS : ACTIVITY_SECONDS;
	return {
		ttl: String(Math.max(0, Math.floor(Math.min(kept, left)))),
		urgency: mayRing(content) ? 'high' : 'normal',
		topic: toTag(message, content),
	};
}

/** True if it may ring or asks a question: a power-saving phone gets others minutes later (RFC 8030 section 5.3). */
function mayRing(content: Notifiable<MessageContent>): boolean {
	if (content.kind === 'push_update') return false;
	if (!('push' in content)) return content.alert !== undefined;
	const { interruption_level: level, question } = content.push;
	return level !== 'passive' || question?.status === 'open';
}

const PAGE = '/phone';

/** The message of a delivery as JSON. @param form of this message; it takes on the values of the delivery */
export function formatMessage({ id, device, pushDeliveryId }: OutgoingDelivery, form: PushMessage) {
	const { data } = form.notification;
	form.app_badge = device.badge;
	data.id = id;
	if (data.kind === 'push_update' && pushDeliveryId !== undefined)
		data.delivery_id = pushDeliveryId;
	if ('push' in data && data.push.badge !== undefined) data.push.badge = device.badge;
	return JSON.stringify(form);
}

/**
 * The message of a delivery, cut to `maxBytes` of JSON: the form, except ids and badges, of all its deliveries that may
 * interrupt in the same way.
 */
export function cutMessage(delivery: OutgoingDelivery, maxBytes: number): PushMessage {
	const { message, device } = delivery;
	const data = shownDelivery(delivery, message);
	if (data.kind === 'badge') throw new Error('A badge has no notification of its own');
	if ('push' in data && data.push.badge !== undefined) data.push.badge = device.badge;
	const fields = 'push' in data ? pushFields(data) : activityFields(data);
	const notification = {
		...fields,
		tag: toTag(message, data),
		renotify: !fields.silent,
		data: data as Notifiable<Delivery> & { truncated?: true },
	};
	const shown: PushMessage = {
		web_push: 8030,
		mutable: true,
		app_badge: device.badge,
		notification,
	};
	truncateToFit(shown, maxBytes, notification.data, () => [
		cutText(notification, 'body'),
		...stepsFor(data),
		cutText(notification, 'title', { kept: true }),
	]);
	return shown;
}

type Fields = Omit<PushMessage['notification'], 'tag' | 'renotify' | 'data'>;

type PushDelivery = Extract<Delivery, { push: unknown }>;

function pushFields(delivery: PushDelivery): Fields {
	const { push } = delivery;
	const isUpdate = delivery.kind === 'push_update';
	// A question opens its card.
	const target = push.question ? '' : (push.redirection ?? push.media ?? '');
	return {
		title: push.title,
		body: toBody(push.answer, push.subtitle, push.message),
		// The page opens an app's own scheme on a tap.
		navigate: /^https?:/i.test(target) ? target : PAGE,
		silent: isUpdate || push.sound === 'none' || push.interruption_level === 'passive',
	};
}

function activityFields({
	activity: { content_state: state },
	alert,
}: Extract<Delivery, { kind: `activity_${string}` }>): Fields {
	return {
		title: alert?.title ?? state.title,
		body: alert?.body ?? (state.type === 'alert' ? state.message : state.subtitle),
		navigate: PAGE,
		silent: !alert,
	};
}

function stepsFor(shown: Notifiable<Delivery>): Step[] {
	if ('push' in shown) {
		const { push } = shown;
		return [
			cutText(push, 'message'),
			cutText(push, 'subtitle'),
			drop(push, 'payload', 'tags', 'channels', 'icon', 'actions', 'redirection', 'media'),
			...stepsOfQuestion(push),
			cutText(push, 'title', { kept: true }),
		];
	}
	const { activity, alert } = shown;
	return stepsOfActivity(activity.content_state, alert, activity);
}
