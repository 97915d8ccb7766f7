import { isShownWhole } from '../../src/contract/categories.ts';
import type { Delivery } from '../../src/contract/device.ts';
import type { Answer, Button, Notification as Push } from '../../src/contract/shown.ts';
import type { ShownQuestion } from '../../src/contract/questions.ts';
import { activityWords } from '../device/activity-words.ts';
import { answerText } from '../device/answers.ts';
import { isSilenced } from '../phone/channel-sounds.ts';
import { mediaKind } from '../device/media-kind.ts';
import { endWords, mayAnswer } from '../device/questions.ts';
import { safeMediaUrl } from '../device/safe-url.ts';
import { snoozes } from '../device/snoozes.ts';
import type { Settings } from '../phone/storage.ts';

/** A notification's record of its delivery, for a later tap. */
export type NotificationData = {
	/** The notification's tag, which a browser need not keep. */
	tag: string;
} & (
	| {
			kind: 'push';
			id: number;
			buttons: Button[];
			/** The question that it asks, with the choices that are buttons. */
			question?: { id: string; choices: Choice[] };
			target: string | undefined;
	  }
	| {
			kind: 'activity';
			activityId: string;
			/** Absent in notifications of earlier versions. */
			updatedAt?: string;
			buttons: Partial<Record<ActivityAction, Button>>;
			/** The time it leaves; null while the activity runs. */
			dismissAt: number | null;
	  }
);

type Choice = NonNullable<ShownQuestion['choices']>[number];

export type ActivityAction = 'action' | 'secondary_action';

interface NotificationAction {
	action: string;
	title: string;
}

/** Standard options that TypeScript's library does not know. */
export interface WorkerNotificationOptions extends NotificationOptions {
	actions?: NotificationAction[];
	image?: string;
	/** Makes a sound again although it replaces one with the same tag. */
	renotify?: boolean;
	timestamp?: number;
	vibrate?: number[];
}

export interface ShownNotification {
	title: string;
	options: WorkerNotificationOptions & { data: NotificationData };
}

const ICON = '/phone/icons/icon-192.png';
/** A silhouette: Android shows it in one color. */
const BADGE = '/phone/icons/badge-96.png';

/** What a delivery's notification depends on, other than the delivery. */
interface Circumstances {
	/** It replaces a notification with the same tag. */
	tag: string;
	/** True if the person wants sounds. */
	hasSound: boolean;
	/** The server's time, milliseconds. */
	now: number;
	/** The person's sounds for channels. */
	channelSounds?: Settings['channelSounds'];
	/** The most buttons that the browser shows. */
	maxActions?: number | undefined;
	/** The person whose phone it is, if known. */
	userId?: string | undefined;
}

/** Begins the names of the buttons that snooze a push; the time follows. */
export const SNOOZE = 'snooze:';

/**
 * The notification for a delivery; undefined for a badge, which has none. It alerts again when it replaces one
 * with the same tag, unless it is silent: browsers refuse `renotify` then.
 */
export function toNotification(
	delivery: Delivery,
	circumstances: Circumstances,
): ShownNotification | undefined {
	if (delivery.kind === 'badge') return undefined;
	if ('push' in delivery) return pushNotification(delivery, circumstances);
	const { tag, hasSound, now } = circumstances;
	const { activity, alert } = delivery;
	const { activity_id: activityId, content_state: state, action, secondary_action } = activity;
	const words = withAnswer(activityWords(activity, now), activity.answer, now);
	const isLoud = alert !== undefined && delivery.muted !== true;
	return {
		title: (isLoud ? alert.title : undefined) ?? state.title,
		options: {
			body: isLoud && alert.body ? `${alert.body}\n${words}` : words,
			icon: ICON,
			badge: BADGE,
			tag,
			silent: !isLoud || !hasSound,
			renotify: isLoud && hasSound,
			timestamp: Date.parse(activity.updated_at),
			actions: [...offered('action', action), ...offered('secondary_action', secondary_action)],
			data: {
				tag,
				kind: 'activity',
				activityId,
				updatedAt: activity.updated_at,
				buttons: { ...(action && { action }), ...(secondary_action && { secondary_action }) },
				dismissAt: activity.dismiss_at === null ? null : Date.parse(activity.dismiss_at),
			},
		},
	};
}

/** A button, as long as it may still be tapped. */
function offered(action: string, button: Button | undefined): NotificationAction[] {
	return button && !button.closed ? [{ action, title: button.title }] : [];
}

/** Puts the answer, with its person and the webhook's reply, before the text that may be cut off. */
function withAnswer(text: string, answer: Answer | undefined, now: number): string {
	if (answer === undefined) return text;
	const lines = [`✓ ${answerText(answer, now)}`, answer.message, text];
	return lines.filter((line) => line !== undefined && line !== '').join('\n');
}

/** Browsers show two buttons. */
const MAX_CHOICES = 2;

/** A text that is not shown as a whole gets no choices: a tap opens the card. */
function offeredChoices(delivery: PushDelivery, userId: string | undefined): Choice[] {
	const { title, subtitle, message, question } = delivery.push;
	const isOffered =
		question?.status === 'open' &&
		mayAnswer(question, userId) &&
		!isTruncated(delivery) &&
		isShownWhole(title, subtitle, message);
	return isOffered ? (question.choices ?? []).slice(0, MAX_CHOICES) : [];
}

/** Puts how the question ended before the text that may be cut off. */
function withEnd(text: string, question: ShownQuestion, now: number): string {
	const end = endWords(question, now);
	if (end === undefined) return text;
	const line = question.status === 'answered' ? `✓ ${end}` : end;
	return [line, text].filter((one) => one !== '').join('\n');
}

/** True if the push service did not take all of it: the inbox has the rest. */
export const isTruncated = (delivery: Delivery & { truncated?: boolean }): boolean =>
	delivery.truncated === true;

type PushDelivery = Extract<Delivery, { push: unknown }>;

/** An update replaces the push silently; a repeat alerts again. */
function pushNotification(
	delivery: PushDelivery,
	{ tag, hasSound, now, channelSounds, maxActions = 0, userId }: Circumstances,
): ShownNotification {
	const { kind, sent_at, push, muted, held } = delivery;
	const { question } = push;
	const id = kind === 'push_update' ? delivery.delivery_id : delivery.id;
	const icon = safeMediaUrl(push.icon);
	const image = toImageUrl(push);
	const isQuiet =
		kind === 'push_update' ||
		muted === true ||
		held === true ||
		push.sound === 'none' ||
		isSilenced(push, channelSounds) ||
		push.interruption_level === 'passive';
	const choices = offeredChoices(delivery, userId);
	const actions = [
		...(push.actions ?? []).flatMap((button, index) => offered(String(index), button)),
		...choices.map((choice, index) => ({ action: String(index), title: choice.title })),
	];
	const room = kind === 'push' ? Math.max(0, maxActions - actions.length) : 0;
	const later = snoozes(new Date(now))
		.slice(0, room)
		.map(([until, title]) => ({ action: SNOOZE + until, title }));
	const text = [push.subtitle, push.message].filter((line) => line !== undefined).join('\n');
	return {
		title: push.title,
		options: {
			body: question ? withEnd(text, question, now) : withAnswer(text, push.answer, now),
			icon: icon ?? ICON,
			badge: BADGE,
			...(image !== undefined && { image }),
			tag,
			silent: isQuiet || !hasSound,
			renotify: !isQuiet && hasSound,
			requireInteraction: kind === 'push' && push.interruption_level === 'critical',
			timestamp: Date.parse(sent_at),
			actions: [...actions, ...later],
			data: {
				tag,
				kind: 'push',
				id,
				buttons: push.actions ?? [],
				...(question && { question: { id: question.question_id, choices } }),
				target: question ? undefined : (push.redirection ?? safeMediaUrl(push.media)),
			},
		},
	};
}

function toImageUrl({ media }: Push): string | undefined {
	const url = safeMediaUrl(media);
	return url !== undefined && mediaKind(url) === 'image' ? url : undefined;
}
