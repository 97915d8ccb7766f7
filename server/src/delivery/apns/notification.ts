import { answerWords } from '../../contract/answer-words.ts';
import { isOfActivity } from '../../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { cutList, cutText, drop, fitted } from '../fit.ts';
import { ACTIVITY_SECONDS, KEEP_SECONDS } from '../gateway.ts';
import { type MessageContent, toMessageContent } from '../message-content.ts';

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

/**
 * Stands for the delivery id while a payload is built and cut to its limit, which is done once for all devices. No
 * real id is longer, so no payload grows past the limit when its id is filled in.
 */
const ID_PLACEHOLDER = Number.MAX_SAFE_INTEGER;

/** The parts all deliveries of one message share. */
export interface NotificationForm {
	/** Alternating names and values. */
	headers: readonly string[];
	/** The payload before and after the delivery id. */
	text: readonly [string, string];
}

export function toHeaderList(headers: Record<string, string>): string[] {
	return Object.entries(headers).flat();
}

/** The request for one delivery, its payload within the limit of APNs. */
export function toNotification(
	form: NotificationForm,
	deliveryId: number,
	token: string,
): ApnsNotification {
	const { headers, text } = form;
	return { token, headers, payload: `${text[0]}${deliveryId}${text[1]}` };
}

/** The form shared by deliveries to all devices with this badge, depending on whether it can interrupt them. */
export function toForm(
	{
		message,
		device,
		...delivery
	}: Pick<OutgoingDelivery, 'message' | 'device' | 'isMuted' | 'isHeld'>,
	app: AppSettings,
): NotificationForm {
	const content = toMessageContent(message, delivery);
	const sentAt = Math.floor(message.created_at / 1_000);
	switch (content.kind) {
		case 'push':
		case 'push_update': {
			const { push } = content;
			const isQuiet = content.kind === 'push_update' || push.interruption_level === 'passive';
			const headers = toHeaderList({
				'apns-topic': app.bundleId,
				'apns-push-type': 'alert',
				'apns-priority': isQuiet ? '5' : '10',
				// A resent push, its repeats and its answer replace the last notification.
				'apns-collapse-id': message.history_id,
				'apns-expiration': String(sentAt + KEEP_SECONDS),
			});
			const badge = push.badge === undefined ? undefined : device.badge;
			return { headers, text: aroundId(alertPayload(content, badge)) };
		}
		case 'badge': {
			const headers = toHeaderList({
				'apns-topic': app.bundleId,
				'apns-push-type': 'alert',
				'apns-priority': '10',
				'apns-collapse-id': 'badge',
				'apns-expiration': String(sentAt + KEEP_SECONDS),
			});
			// The device's current badge: a later push may have changed it while this one was retried.
			const payload = { aps: { badge: device.badge }, beckon: { delivery_id: ID_PLACEHOLDER } };
			return { headers, text: aroundId(JSON.stringify(payload)) };
		}
		default: {
			const startedAt = seconds(content.activity.started_at);
			const isRoutine = content.kind === 'activity_update' && !content.alert;
			const headers = toHeaderList({
				'apns-topic': `${app.bundleId}.push-type.liveactivity`,
				'apns-push-type': 'liveactivity',
				'apns-priority': isRoutine ? '5' : '10',
				'apns-expiration': String(startedAt + ACTIVITY_SECONDS),
			});
			const payload = activityPayload(content, app, message.created_at);
			return { headers, text: aroundId(payload) };
		}
	}
}

/**
 * Splits a payload at the placeholder, the value of its first `"delivery_id":`. A sender's text cannot come before it
 * with the same characters: in a string, JSON escapes the quotes.
 */
function aroundId(payload: string): readonly [string, string] {
	const field = '"delivery_id":';
	const start = payload.indexOf(`${field}${ID_PLACEHOLDER}`) + field.length;
	const end = start + String(ID_PLACEHOLDER).length;
	return [payload.slice(0, start), payload.slice(end)];
}

/** Tells the app's widgets that their content has changed (Apple: WidgetKit push notifications). */
export function widgetReload(token: string, { bundleId }: AppSettings): ApnsNotification {
	return {
		token,
		headers: toHeaderList({
			'apns-topic': `${bundleId}.push-type.widgets`,
			'apns-push-type': 'widgets',
			'apns-priority': '5',
			'apns-expiration': '0',
		}),
		payload: JSON.stringify({ aps: { 'content-changed': true } }),
	};
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

/**
 * `mutable-content` lets the app's service extension add media and buttons before the push is shown. An update
 * replaces the push silently.
 */
function alertPayload(
	{ kind, push }: Extract<MessageContent, { kind: 'push' | 'push_update' }>,
	badge: number | undefined,
): string {
	const { title, subtitle, message, interruption_level: level, sound, badge: _, ...rest } = push;
	const isUpdate = kind === 'push_update';
	// The answer first: a long text is cut at its end.
	const body = [push.answer && answerWords(push.answer), message].filter(
		(text) => text !== undefined,
	);
	const alert = {
		title,
		...(subtitle !== undefined && { subtitle }),
		...(body.length > 0 && { body: body.join('\n') }),
	};
	const beckon: Record<string, unknown> = { delivery_id: ID_PLACEHOLDER, ...rest };
	const payload = {
		aps: {
			alert,
			...(badge !== undefined && { badge }),
			...(sound !== 'none' &&
				!isUpdate && {
					sound: level === 'critical' ? { critical: 1, name: sound, volume: 1 } : sound,
				}),
			'interruption-level': isUpdate ? 'passive' : level,
			'mutable-content': 1,
			...(rest.actions?.some(({ closed }) => !closed) && { category: 'beckon-actions' }),
		},
		beckon,
	};
	return fitted(payload, MAX_PAYLOAD_BYTES, beckon, () => [
		cutText(alert, 'body'),
		cutText(alert, 'subtitle'),
		drop(beckon, 'payload', 'tags', 'icon', 'actions', 'redirection', 'media', 'answer'),
		cutText(alert, 'title', { kept: true }),
	]);
}

const EVENTS = { activity_start: 'start', activity_update: 'update', activity_end: 'end' } as const;

function activityPayload(
	{ kind, activity, alert }: ActivityContent,
	app: AppSettings,
	sentAt: number,
): string {
	const { content_state: content, action, secondary_action: second, answer } = activity;
	const state = {
		...content,
		...(action && { action }),
		...(second && { secondary_action: second }),
		...(answer && { answer }),
	};
	// iOS starts no activity without an alert; an alert nobody requested, or a muted one, has no sound.
	const said = alert ?? (kind === 'activity_start' ? { title: content.title } : undefined);
	const shownAlert = said && { title: said.title ?? content.title, body: said.body ?? '' };
	const beckon: Record<string, unknown> = { delivery_id: ID_PLACEHOLDER };
	const payload = {
		aps: {
			// The phone drops content older than the content it shows.
			timestamp: Math.floor(sentAt / 1_000),
			event: EVENTS[kind],
			'content-state': state,
			...(shownAlert && { alert: { ...shownAlert, ...(alert && { sound: 'default' }) } }),
			'relevance-score': alert ? 100 : 50,
			...(kind === 'activity_start' && {
				'attributes-type': app.activityType,
				attributes: {
					activity_id: activity.activity_id,
					stream_key: activity.stream_key,
					started_at: activity.started_at,
				},
				// iOS 18: the phone answers with the activity's own token.
				'input-push-token': 1,
			}),
			...(kind === 'activity_end'
				? { 'dismissal-date': seconds(activity.dismiss_at ?? activity.updated_at) }
				: { 'stale-date': staleAt(activity) }),
		},
		beckon,
	};
	const { aps } = payload;
	return fitted(payload, MAX_PAYLOAD_BYTES, beckon, () => [
		cutText(state, 'message'),
		cutText(aps.alert, 'body', { kept: true }),
		cutList(state, 'metrics'),
		drop(state, 'step_colors'),
		cutText(state, 'subtitle'),
		drop(state, 'answer', 'secondary_action', 'action', 'badge', 'icon'),
		cutText(aps.alert, 'title', { kept: true }),
		cutText(state, 'title', { kept: true }),
	]);
}

/** The time from which the phone marks its content as stale: a countdown has ended, or iOS ends the activity. */
function staleAt({
	content_state: state,
	started_at: startedAt,
}: ActivityContent['activity']): number {
	const ends =
		state.type === 'timer' && state.timer.is_running && state.timer.counts_down
			? state.timer.ends_at
			: undefined;
	const last = seconds(startedAt) + ACTIVITY_SECONDS;
	return ends === undefined ? last : Math.min(seconds(ends), last);
}
