import { categoryOf, OTHER_CATEGORY } from '../../contract/categories.ts';
import type { PhoneApp } from '../../contract/device.ts';
import type { Notification } from '../../contract/shown.ts';
import { isOfActivity } from '../../store/outbox/messages.ts';
import type { DeliveryDevice, OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { toApp } from '../../store/phones/device-audience.ts';
import {
	cutText,
	drop,
	truncateToFit,
	type Step,
	stepsOfActivity,
	stepsOfQuestion,
} from '../fit.ts';
import { ACTIVITY_SECONDS, KEEP_SECONDS } from '../gateway.ts';
import { type MessageContent, toBody, toMessageContent, toTag } from '../message-content.ts';

/** Largest payload APNs takes (Apple: "Generating a remote notification"). */
const MAX_PAYLOAD_BYTES = 4_096;

export interface ApnsNotification {
	token: string;
	/** Alternating names and values: node:http2 processes such a list faster than an object. */
	headers: readonly string[];
	payload: string;
}

export interface AppSettings {
	/** The app's bundle id, from which the topics are derived. */
	bundleId: string;
	/** Name of the app's `ActivityAttributes` type. */
	activityType: string;
}

type ActivityContent = Extract<MessageContent, { kind: `activity_${string}` }>;

/** The token the message must be sent to; undefined if the device has not registered it. */
export function tokenFor({ message, device }: OutgoingDelivery): string | undefined {
	if (message.kind === 'activity_start') return device.push_to_start_token ?? undefined;
	return (isOfActivity(message) ? device.token : device.push_token) ?? undefined;
}

/** The beginning of every payload; the delivery id follows. */
const UP_TO_ID = '{"beckon":{"delivery_id":';

/**
 * Stands for the delivery id while a payload is cut to its limit, which is done once for all devices. No real id is
 * longer, so no payload grows past the limit when its id is filled in.
 */
const LONGEST_ID = Number.MAX_SAFE_INTEGER;

/** The parts all deliveries of one message share. */
export interface NotificationForm {
	/** Alternating names and values. */
	headers: readonly string[];
	/** The payload after the delivery id. */
	afterId: string;
}

/** The request for one delivery, its payload within the limit of APNs. */
export function toNotification(
	{ headers, afterId }: NotificationForm,
	deliveryId: number,
	token: string,
): ApnsNotification {
	return { token, headers, payload: `${UP_TO_ID}${deliveryId}${afterId}` };
}

/** The payload of a broadcast, which has no delivery id: it goes to all phones that show the activity. */
export function toBroadcast({ afterId }: NotificationForm): string {
	return `{${afterId.slice(afterId.indexOf('},') + 2)}`;
}

/**
 * @param part where the app looks for `truncated`; `beckon` if absent
 * @returns the payload after its delivery id, shrunk by the steps if it is too large
 */
function fittedAfterId(
	content: { aps: object; beckon?: object },
	steps: (beckon: object) => Step[] = () => [],
	part?: object,
): string {
	const beckon: Record<string, unknown> = { delivery_id: LONGEST_ID, ...content.beckon };
	const payload = { beckon, aps: content.aps };
	return truncateToFit(payload, MAX_PAYLOAD_BYTES, part ?? beckon, () => steps(beckon)).slice(
		`${UP_TO_ID}${LONGEST_ID}`.length,
	);
}

/**
 * Names and values in turn (Apple: "Sending notification requests to APNs").
 * @param expiresAt seconds since 1970; 0: Apple tries only once
 */
export function toHeaders(
	{ bundleId }: Pick<AppSettings, 'bundleId'>,
	type: 'alert' | 'liveactivity' | 'widgets',
	{ isUrgent = false, expiresAt = 0, collapseId = '' },
): string[] {
	return Object.entries({
		'apns-topic': type === 'alert' ? bundleId : `${bundleId}.push-type.${type}`,
		'apns-push-type': type,
		'apns-priority': isUrgent ? '10' : '5',
		...(collapseId !== '' && { 'apns-collapse-id': collapseId }),
		'apns-expiration': String(expiresAt),
	}).flat();
}

/** What deliveries of one form have in common. */
type FormOf = Pick<OutgoingDelivery, 'message' | 'device' | 'isMuted' | 'isHeld'>;

/**
 * The form shared by deliveries to all devices with this badge and app, depending on whether it can interrupt them.
 * @param channel the one over which updates will follow a start
 */
export function toForm(delivery: FormOf, app: AppSettings, channel?: string): NotificationForm {
	const { message, device } = delivery;
	const content = toMessageContent(message, delivery);
	const expiresAt = Math.floor(message.created_at / 1_000) + KEEP_SECONDS;
	switch (content.kind) {
		case 'push':
		case 'push_update': {
			const isUrgent = content.kind === 'push' && content.push.interruption_level !== 'passive';
			const collapseId = toTag(message, content);
			return {
				headers: toHeaders(app, 'alert', { isUrgent, expiresAt, collapseId }),
				afterId: alertPayload(content, device),
			};
		}
		case 'badge':
			return {
				headers: toHeaders(app, 'alert', { isUrgent: true, expiresAt, collapseId: 'badge' }),
				// The device's current badge: a later push may have changed it while this one was retried.
				afterId: fittedAfterId({ aps: { badge: device.badge } }),
			};
		default:
			return {
				headers: toHeaders(app, 'liveactivity', {
					isUrgent: content.kind !== 'activity_update' || content.alert !== undefined,
					expiresAt: seconds(content.activity.started_at) + ACTIVITY_SECONDS,
				}),
				afterId: activityPayload(content, app, { sentAt: message.created_at, device, channel }),
			};
	}
}

/** Tells the app's widgets that their content has changed (Apple: WidgetKit push notifications). */
export function widgetReload(token: string, app: AppSettings): ApnsNotification {
	return {
		token,
		headers: toHeaders(app, 'widgets', {}),
		payload: JSON.stringify({ aps: { 'content-changed': true } }),
	};
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

/**
 * The alert of an activity's update as a notification: for a phone that may be interrupted, after the update went to
 * all phones silently because another may not be.
 */
export function toAlertForm(delivery: FormOf, app: AppSettings): NotificationForm {
	const { message } = delivery;
	const content = toMessageContent(message, delivery);
	if (!('alert' in content) || !content.alert) throw new Error('The update has no alert');
	const { title = content.activity.content_state.title, body } = content.alert;
	const alert = { title, body };
	const expiresAt = seconds(content.activity.started_at) + ACTIVITY_SECONDS;
	return {
		headers: toHeaders(app, 'alert', {
			isUrgent: true,
			expiresAt,
			collapseId: message.history_id,
		}),
		afterId: fittedAfterId({ aps: { alert, sound: 'default' } }, () => [
			cutText(alert, 'body'),
			cutText(alert, 'title', { kept: true }),
		]),
	};
}

/**
 * `mutable-content` lets the app's service extension add media and buttons before the push is shown. An update
 * replaces the push silently.
 */
function alertPayload(
	{ kind, push }: Extract<MessageContent, { kind: 'push' | 'push_update' }>,
	device: DeliveryDevice,
): string {
	const { title, subtitle, message, interruption_level: level, sound, badge, ...others } = push;
	const { sequence_id: _collapseId, ...beckon } = others;
	const isUpdate = kind === 'push_update';
	const isSilent = isUpdate || sound === 'none';
	const alert = { title, subtitle, body: toBody(push.answer, message) };
	const aps = {
		alert,
		badge: badge === undefined ? undefined : device.badge,
		...(!isSilent && {
			sound: level === 'critical' ? { critical: 1, name: sound, volume: 1 } : sound,
		}),
		'interruption-level': isUpdate ? 'passive' : level,
		'mutable-content': 1,
		category: toCategory(push, toApp(device)),
	};
	return fittedAfterId({ aps, beckon }, (rest) => [
		cutText(alert, 'body'),
		cutText(alert, 'subtitle'),
		drop(rest, 'payload', 'tags', 'icon', 'actions', 'redirection', 'media', 'answer'),
		...stepsOfQuestion(rest),
		cutText(alert, 'title', { kept: true }),
	]);
}

/** The attributes of an expo-widgets app, whose only field is the address that a tap opens. */
const LAYOUT_TYPE = 'LiveActivityAttributes';

/**
 * The notification category that has the open buttons. A question opens the app. Without buttons, iOS tells an app of
 * a dismissal only if the notification has a category too.
 */
function toCategory({ actions = [], question }: Notification, app: PhoneApp | undefined) {
	const open = actions.filter(({ closed }) => !closed);
	const isOpen = question?.status === 'open';
	const isPlain = open.length === 0 && !isOpen;
	if (!app || app.categories.length === 0) return isPlain ? undefined : 'beckon-actions';
	const id = categoryOf(open);
	if (!isOpen && app.categories.includes(id)) return id;
	return isPlain ? undefined : OTHER_CATEGORY;
}

const EVENTS = { activity_start: 'start', activity_update: 'update', activity_end: 'end' } as const;

function activityPayload(
	{ kind, activity, alert }: ActivityContent,
	{ activityType }: AppSettings,
	{
		sentAt,
		device,
		channel,
	}: { sentAt: number; device: DeliveryDevice; channel?: string | undefined },
): string {
	const { activity_id, stream_key, started_at, content_state: content, ...rest } = activity;
	const { action, secondary_action, answer } = rest;
	const { layout, channels } = toApp(device) ?? {};
	const ids = { activity_id, stream_key, started_at };
	const whole = { ...ids, ...(kind === 'activity_end' && { dismiss_at: activity.dismiss_at }) };
	const state = {
		...(layout !== undefined && whole),
		...content,
		action,
		secondary_action,
		answer,
	};
	// iOS starts no activity without an alert; an alert nobody requested, or a muted one, has no sound.
	const said = alert ?? (kind === 'activity_start' ? {} : undefined);
	const shownAlert = said && {
		title: said.title ?? content.title,
		body: said.body ?? '',
		sound: alert && 'default',
	};
	const aps = {
		// The phone drops content older than the content it shows.
		timestamp: Math.floor(sentAt / 1_000),
		event: EVENTS[kind],
		// Shrinks with the state: it becomes text when the payload does.
		'content-state':
			layout === undefined
				? state
				: { name: layout, props: { toJSON: () => JSON.stringify(state) } },
		alert: shownAlert,
		'relevance-score': alert ? 100 : 50,
		...(kind === 'activity_start' && {
			'attributes-type': layout === undefined ? activityType : LAYOUT_TYPE,
			attributes: layout === undefined ? ids : { url: `beckon://activity/${activity_id}` },
			// iOS 18: over the channel, or the phone answers with the activity's own token.
			...(channel === undefined ? { 'input-push-token': 1 } : { 'input-push-channel': channel }),
		}),
		...(kind === 'activity_end'
			? { 'dismissal-date': seconds(activity.dismiss_at ?? activity.updated_at) }
			: { 'stale-date': staleAt(activity) }),
	};
	// A broadcast has no other part.
	const part = layout !== undefined || channels ? state : undefined;
	return fittedAfterId({ aps }, () => stepsOfActivity(state, shownAlert), part);
}

/** The time from which the phone marks its content as stale: a countdown has ended, or iOS ends the activity. */
function staleAt(activity: ActivityContent['activity']): number {
	const { content_state: state, started_at: startedAt } = activity;
	const last = seconds(startedAt) + ACTIVITY_SECONDS;
	// A paused timer has no end.
	const end = state.type === 'timer' && state.timer.counts_down ? state.timer.ends_at : undefined;
	return end === undefined ? last : Math.min(seconds(end), last);
}
