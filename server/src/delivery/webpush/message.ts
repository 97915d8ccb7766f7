import type { Delivery, PushMessage } from '../../contract/device.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
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

const URGENCY = {
	passive: 'low',
	active: 'normal',
	'time-sensitive': 'high',
	critical: 'high',
} as const;

/** TTL, Urgency and Topic of RFC 8030 sections 5.2 to 5.4. */
export type PushHeaders = Record<'ttl' | 'urgency' | 'topic', string>;

/** Content a closed page can receive: each message must show a notification, which a badge does not. */
export type Notifiable<T extends { kind: string }> = Exclude<T, { kind: 'badge' }>;

/**
 * A newer message with the same topic replaces one the push service still holds; on the phone, the tag does the
 * same to the notification. So a phone that was off gets only the last of a push, its repeats and its answer,
 * or of a Live Activity's states. The id of their history entry, or of their sequence, is at most 32 characters of
 * base64url, the longest topic allowed.
 */
export function toHeaders(
	{ message }: OutgoingDelivery,
	content: Notifiable<MessageContent>,
): PushHeaders {
	const other = content.kind === 'activity_update' && !content.alert ? 'low' : 'normal';
	return {
		ttl: String('push' in content ? KEEP_SECONDS : ACTIVITY_SECONDS),
		urgency: content.kind === 'push' ? URGENCY[content.push.interruption_level] : other,
		topic: toTag(message, content),
	};
}

const PAGE = '/phone';

/** The message of a delivery in at most `maxBytes` of JSON. */
export function formatMessage(delivery: OutgoingDelivery, maxBytes: number): string {
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
	return truncateToFit(shown, maxBytes, notification.data, () => [
		cutText(notification, 'body'),
		...stepsFor(data),
		cutText(notification, 'title', { kept: true }),
	]);
}

type Fields = Omit<PushMessage['notification'], 'tag' | 'renotify' | 'data'>;

type PushDelivery = Extract<Delivery, { push: unknown }>;

function pushFields(delivery: PushDelivery): Fields {
	const { push } = delivery;
	const isUpdate = delivery.kind === 'push_update';
	const target = push.redirection ?? push.media ?? '';
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
