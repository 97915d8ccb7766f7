import { categoryOf, isShownWhole, OTHER_CATEGORY } from '../../contract/categories.ts';
import type { PhoneApp } from '../../contract/device.ts';
import type { Notification, ShownState } from '../../contract/shown.ts';
import { isOfActivity } from '../../store/outbox/messages.ts';
import type { DeliveryDevice, OutgoingDelivery } from '../../store/outbox/deliveries.ts';
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
	/** A secret in the links of an activity's buttons: other apps can open links into the app, too. */
	linkKeyOf: (activityId: string) => string;
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
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The parts all deliveries of one message share. */
export interface NotificationForm {
	/** Alternating names and values. */
	headers: readonly string[];
	/** The payload after the delivery id. */
	afterId: string;
}

/** The request for one delivery, its payload within the limit of APNs. */
export function toApnsNotification(form: NotificationForm, deliveryId: number, token: string) {
	const { headers, afterId } = form;
	return {
		token,
		headers,
		payload: `${UP_TO_ID}${deliveryId}${afterId}`,
	} satisfies ApnsNotification;
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
	const beckon: Record<string, unknown> = { delivery_id: MAX_ID, ...content.beckon };
	const payload = { beckon, aps: content.aps };
	return truncateToFit(payload, MAX_PAYLOAD_BYTES, part ?? beckon, () => steps(beckon)).slice(
		`${UP_TO_ID}${MAX_ID}`.length,
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
	const keptUntil = message.created_at + KEEP_SECONDS * 1_000;
	const expiresAt = Math.floor(Math.min(keptUntil, message.expires_at ?? Infinity) / 1_000);
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
					// A start whose response was lost is sent again. A broadcast may have none.
					collapseId: content.kind === 'activity_start' ? message.history_id : '',
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

/** A state in words. A text does not tick, so a timer has none. */
function stateWords(state: ShownState): string | undefined {
	if ('metrics' in state)
		return state.metrics
			.map(({ label, value, unit }) => [label, value, unit].join(' ').trim())
			.join('\n');
	if ('current_step' in state) return `Step ${state.current_step} of ${state.number_of_steps}`;
	if ('percentage' in state) return `${Math.floor(state.percentage * 10) / 10}%`;
	if ('message' in state) return state.message;
	return 'value' in state ? String(state.value) : undefined;
}

/**
 * A message about a Live Activity as a notification, which the next one replaces.
 * @param isInstead true for a phone that cannot show the activity: includes the state, and is silent without an alert;
 *        false to send only the alert, which the broadcast left out so as not to interrupt other phones
 */
export function toActivityAlert(delivery: FormOf, app: AppSettings, isInstead: boolean) {
	const { message, device } = delivery;
	const content = toMessageContent(message, delivery);
	if (!('activity' in content)) throw new Error('The message is not about a Live Activity');
	const { kind, activity, alert: requested } = content;
	const { activity_id, content_state: state, answer } = activity;
	const words = [kind === 'activity_end' ? 'Ended' : undefined, stateWords(state), state.subtitle];
	const alert = {
		title: requested?.title ?? state.title,
		body: isInstead ? toBody(answer, requested?.body, ...words) : requested?.body,
	};
	const aps = {
		alert,
		...(requested ? { sound: 'default' } : { 'interruption-level': 'passive' }),
		...(isInstead && { category: toCategory({}, toApp(device)) }),
	};
	const isUrgent = requested !== undefined || kind === 'activity_start';
	const expiresAt = seconds(activity.started_at) + ACTIVITY_SECONDS;
	return {
		headers: toHeaders(app, 'alert', { isUrgent, expiresAt, collapseId: message.history_id }),
		afterId: fittedAfterId({ aps, beckon: isInstead ? { activity_id } : {} }, () => [
			cutText(alert, 'body'),
			cutText(alert, 'title', { kept: true }),
		]),
	} satisfies NotificationForm;
}

/**
 * An update replaces the push silently. Without `mutable-content`: it makes iOS wait for a service extension, which the
 * app does not have.
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
		'thread-id': push.channels?.[0],
		category: toCategory(push, toApp(device)),
	};
	const opensCard = () => {
		if (push.question?.status === 'open') aps.category = OTHER_CATEGORY;
	};
	return fittedAfterId({ aps, beckon }, (rest) => [
		opensCard,
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
 * The notification category that has the open buttons. A question opens the app, unless it is so short that an app
 * may add its choices. Without buttons, iOS tells an app of a dismissal only if the notification has a category too.
 */
function toCategory(push: Partial<Notification>, app: PhoneApp | undefined) {
	const { actions = [], question, title, subtitle, message } = push;
	const open = actions.filter(({ closed }) => !closed);
	const isOpen = question?.status === 'open';
	const isPlain = open.length === 0 && !isOpen;
	if (isOpen && !isShownWhole(title, subtitle, message)) return OTHER_CATEGORY;
	if (!app || app.categories.length === 0) return isPlain ? undefined : 'beckon-actions';
	const id = categoryOf(open);
	// The app reports a tap by the number of the button in its category.
	const isNumbered = open.every((button, index) => button === actions[index]);
	if (!isOpen && isNumbered && app.categories.includes(id)) return id;
	return isPlain ? undefined : OTHER_CATEGORY;
}

const EVENTS = { activity_start: 'start', activity_update: 'update', activity_end: 'end' } as const;

function activityPayload(
	{ kind, activity, alert }: ActivityContent,
	{ activityType, linkKeyOf }: AppSettings,
	{
		sentAt,
		device,
		channel,
	}: { sentAt: number; device: DeliveryDevice; channel?: string | undefined },
): string {
	const { activity_id, stream_key, started_at, updated_at } = activity;
	const { content_state: content, action, secondary_action, answer } = activity;
	const { layout, channels } = toApp(device) ?? {};
	const ids = { activity_id, stream_key, started_at };
	const whole = {
		...ids,
		updated_at,
		link_key: linkKeyOf(activity_id),
		...(kind === 'activity_end' && { dismiss_at: activity.dismiss_at }),
	};
	const state = {
		...(layout !== undefined && whole),
		...content,
		action,
		secondary_action,
		answer,
	};
	// iOS starts no activity without an alert; an alert nobody requested, or a muted one, has no sound.
	const texts = alert ?? (kind === 'activity_start' ? {} : undefined);
	const shownAlert = texts && {
		title: texts.title ?? content.title,
		body: texts.body ?? '',
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
	// A broadcast has no `beckon` part.
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
