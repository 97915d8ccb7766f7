import { z } from 'zod';
import { MAX_CATEGORY_ID } from './categories.ts';
import { alertPayload, badgeCount, channelSlug, tag } from './common.ts';
import { INTERRUPTION_LEVELS, SNOOZES } from './values.ts';
import { answer, notification, shownActivity, shownMetric } from './shown.ts';
import { timeZone } from './quiet.ts';
import { atMost, search, text, timestamp } from './text.ts';
import { metricKey } from './metrics.ts';

/**
 * The protocol between a phone and the server; docs/device-protocol.md explains it in words. Responses may gain
 * fields in the future: a device ignores those it does not know.
 */
const PLATFORMS = ['web', 'ios'] as const;

const deviceToken = text({ min: 1, max: 512 });
const deliveryId = z.int().min(1);
const activityId = z.string().min(1).max(64);

/** POST /device/pair: needs no token; the code is the proof. */
export const pairRequest = z.strictObject({
	code: z
		.string()
		.transform((code) => code.replaceAll(/[\s-]/g, '').toUpperCase())
		.refine(
			(code) => /^[0-9A-Z]{8}$/.test(code),
			'must be the 8 letters and digits of a pairing code',
		)
		.meta({ description: 'Upper or lower case; spaces and dashes are ignored.' }),
	name: text({ min: 1, max: 64, trim: true }),
	platform: z.enum(PLATFORMS),
	push_token: deviceToken.optional(),
	push_to_start_token: deviceToken.optional(),
});

const device = z.object({
	id: z.string(),
	name: z.string(),
	platform: z.enum(PLATFORMS),
	user: z.object({ id: z.string(), name: z.string() }),
	account: z.object({ name: z.string() }),
});

export const pairResponse = z.object({ device, token: z.string() });

const delivered = {
	id: deliveryId,
	sent_at: timestamp,
	/**
	 * True if it was sent only through channels this phone has muted: no banner, no sound and, for a
	 * push, no place on the lock screen.
	 */
	muted: z.literal(true).optional(),
	/** True if it was held back because this phone was quiet: no banner and no sound. */
	held: z.literal(true).optional(),
};

/** One entry of the inbox. Ids increase; a device drops an id it has already seen. */
export const delivery = z.discriminatedUnion('kind', [
	z.object({ ...delivered, kind: z.literal('push'), push: notification }),
	/** The new state of an answered push; `delivery_id` is the delivery of the original push. */
	z.object({
		...delivered,
		kind: z.literal('push_update'),
		delivery_id: deliveryId,
		push: notification,
	}),
	z.object({ ...delivered, kind: z.literal('badge'), badge: badgeCount }),
	z.object({
		...delivered,
		kind: z.enum(['activity_start', 'activity_update', 'activity_end']),
		activity: shownActivity,
		alert: alertPayload.optional(),
	}),
]);

const keys = atMost(1_000, z.array(metricKey));

const metrics = z.strictObject({
	/** Keys of metrics in the person's order; all others follow in the server's. */
	order: keys,
	hidden: keys,
});

/** PUT /device/preferences: omitted fields are kept. */
export const preferencesRequest = z.strictObject({
	/** True if a dismissal on one phone also applies to the person's others. */
	seen_once: z.boolean().optional(),
	metrics: metrics.optional(),
});

/** A person's choices, the same on all of their phones; docs/device-protocol.md "Preferences". */
export const preferences = z.object({ seen_once: z.boolean(), metrics });

/** GET /device/snapshot: the full content of the lock screen; events then follow after `cursor`. */
export const snapshot = z.object({
	device,
	server_time: timestamp,
	cursor: z.int(),
	badge: badgeCount,
	/** The newest notifications. */
	notifications: z.array(z.object({ ...delivered, push: notification })),
	/** The total number of notifications. */
	notification_count: z.int().min(0),
	/** Open questions, and those that ended within the last hour, newest first; not among the notifications. */
	questions: z.array(z.object({ ...delivered, push: notification })),
	activities: z.array(shownActivity),
	metrics: z.array(shownMetric),
	/** The person's choices, for all of their phones. */
	preferences,
});

/** GET /device/inbox and GET /device/events. */
export const inboxQuery = z.strictObject({
	after: z.coerce.number().int().min(0).default(0),
	limit: z.coerce.number().int().min(1).max(500).default(100),
});
export const eventsQuery = z.strictObject({ after: z.coerce.number().int().min(0).optional() });

export const inbox = z.object({
	deliveries: z.array(delivery),
	cursor: z.int(),
	more: z.boolean(),
});

/** GET /device/history: newest first, before an id. */
export const deviceHistoryQuery = z.strictObject({
	before: z.coerce.number().int().min(1).optional(),
	limit: z.coerce.number().int().min(1).max(100).default(30),
	search,
	/** Entries sent to this channel. */
	channel: channelSlug.optional(),
	/** Entries with a tag that contains this. */
	tag_part: tag.optional(),
	/** Pushes of this level. */
	level: z.enum(INTERRUPTION_LEVELS).optional(),
});

/** Pushes, including dismissed and muted ones, and each Live Activity once, in its newest state. */
export const deviceHistory = z.object({
	deliveries: z.array(delivery),
	/** The next value for `before`; null if there is nothing older. */
	before: z.int().nullable(),
});

/** GET /device/channels: the channels that reach this phone. PUT /device/channels/{slug} mutes one. */
export const deviceChannels = z.object({
	channels: z.array(z.object({ slug: channelSlug, name: z.string(), muted: z.boolean() })),
});
export const muteRequest = z.strictObject({ muted: z.boolean() });

export const acknowledgeRequest = z.strictObject({
	deliveries: atMost(500, z.array(deliveryId).min(1)),
});
export const acknowledgeResponse = z.object({ acknowledged: z.int() });

/** The output of a browser's `PushSubscription.toJSON()`. */
const pushSubscription = z.object({
	endpoint: z.url({ protocol: /^https?$/, error: 'must be the URL of a push service' }).max(2_048),
	keys: z.object({ p256dh: text({ min: 1, max: 128 }), auth: text({ min: 1, max: 64 }) }),
});

/**
 * A Web Push message: a declarative push message (Push API section 3.3). A browser that supports it shows
 * `notification` by itself; `mutable`: the page's service worker shows it in its own way if it can.
 */
export const pushMessage = z.object({
	web_push: z.literal(8030),
	mutable: z.literal(true),
	app_badge: badgeCount,
	notification: z.object({
		title: z.string(),
		body: z.string().optional(),
		tag: z.string(),
		/** Alerts again although it replaces a notification with the same tag. */
		renotify: z.boolean(),
		navigate: z.string(),
		silent: z.boolean(),
		/** If `truncated` is beside it, the inbox has the full content. */
		data: delivery,
	}),
});

/**
 * What the app can take. Without it, content states are objects, each activity needs a token of its own, and a push
 * with buttons has the category `beckon-actions`.
 */
const phoneApp = z.strictObject({
	/** Name of its expo-widgets layout, which reads a content state as `{ name, props }`. */
	layout: text({ min: 1, max: 64 }).optional(),
	/** It takes the updates of activities over channels, which iOS has from version 18. */
	channels: z.boolean().default(false),
	/** The notification categories it has registered. */
	categories: atMost(64, z.array(text({ min: 1, max: MAX_CATEGORY_ID }))).default([]),
});

/** PUT /device/tokens and PUT /device/activities/{activity_id}/token. */
export const tokensRequest = z.strictObject({
	push_token: deviceToken.optional(),
	push_to_start_token: deviceToken.optional(),
	/** For the app's widgets. */
	widget_token: deviceToken.optional(),
	/** The Apple service the tokens belong to: `sandbox` for an app started from Xcode. */
	push_environment: z.enum(['production', 'sandbox']).optional(),
	/** null if the browser has unsubscribed. */
	push_subscription: pushSubscription.nullable().optional(),
	/** Replaced as a whole. */
	app: phoneApp.nullable().optional(),
});

/** GET /device/web-push-key: the `applicationServerKey` for a browser's subscription. */
export const webPushKey = z.object({
	public_key: z.string(),
	/** The push service no longer takes the last subscription: one that the browser still has is of no use. */
	has_ended: z.literal(true).optional(),
});
export const activityTokenRequest = z.strictObject({ token: deviceToken });
export const deliveryParams = z.strictObject({ delivery_id: z.coerce.number().int().min(1) });

/** GET /device/deliveries/{delivery_id}/message, for a push whose message is `shortened`. */
export const wholeMessage = z.object({ message: z.string() });

export const activityParams = z.strictObject({ activity_id: activityId });

/**
 * POST /device/taps. The device generates `tap_id`; repeating a report with it calls nothing twice.
 * `action`: for a notification the index of the button, for an activity its name.
 */
export const tapRequest = z.union(
	[
		z.strictObject({
			tap_id: z.uuid('must be a UUID'),
			delivery_id: deliveryId,
			action: z.int().min(0).max(3),
		}),
		z.strictObject({
			tap_id: z.uuid('must be a UUID'),
			activity_id: activityId,
			action: z.enum(['action', 'secondary_action']),
			/** Of the state that the phone shows: a button that has appeared since was not the one tapped. */
			updated_at: timestamp.optional(),
			/** Of the link that was tapped: only the activity's own links have it. */
			link_key: z.string().max(64).optional(),
		}),
	],
	{
		error:
			'must have a tap_id (a UUID), and either delivery_id with the number of a button as action, or activity_id with action or secondary_action',
	},
);

export const tapResponse = z.object({
	/** Only `called` counts as done, and only `open` needs the phone to act. */
	outcome: z.enum(['open', 'called', 'unclear', 'refused', 'failed']),
	url: z.string().optional(),
	/** The webhook's status. */
	status: z.int().optional(),
	/** For the person who tapped. */
	message: z.string(),
	/** For `called`: this tap. For `refused`: the tap that answered the question. */
	answer: answer.optional(),
});

/** POST /device/dismissals: the person swiped it away. */
export const dismissalRequest = z.union(
	[z.strictObject({ activity_id: activityId }), z.strictObject({ delivery_id: deliveryId })],
	{ error: 'must have either activity_id or delivery_id' },
);

/** In a response, for POST /device/notifications/restore. */
const undo = z.string();

export const dismissalResponse = z.object({ success: z.literal(true), undo });

/** POST /device/snoozes: takes a push off all of the person's phones, until later. */
export const snoozeRequest = z.strictObject({
	delivery_id: deliveryId,
	until: z.enum(SNOOZES),
	/** In which evening and morning are meant. */
	time_zone: timeZone,
});
/** `until`: when it returns. */
export const snoozeResponse = z.object({ until: timestamp, undo });

/** POST /device/notifications/clear: dismisses every notification up to a delivery. */
export const clearRequest = z.strictObject({ up_to: deliveryId });
export const clearResponse = z.object({ cleared: z.int().min(0), undo });
export const restoreRequest = z.strictObject({
	undo: z.string().regex(/^\d{1,15}$/, 'must be the undo value that clearing returned'),
});
export const restoreResponse = z.object({ restored: z.int().min(0) });

/** The event `notifications`: those up to `cursor` that are not among the newest `ids` are off the lock screen. */
export const shownNotifications = z.object({
	cursor: z.int(),
	ids: z.array(deliveryId),
	count: z.int().min(0),
	/** The deliveries of the questions on the lock screen. */
	question_ids: z.array(deliveryId),
	/** The Live Activities on the lock screen. */
	activity_ids: z.array(activityId),
});

export const success = z.object({ success: z.literal(true) });

export type Platform = (typeof PLATFORMS)[number];
export type PushSubscription = z.output<typeof pushSubscription>;
export type PhoneApp = z.output<typeof phoneApp>;
export type PushMessage = z.output<typeof pushMessage>;
export type TokensRequest = z.output<typeof tokensRequest>;
export type WebPushKey = z.output<typeof webPushKey>;
export type PairRequest = z.output<typeof pairRequest>;
export type ShownDevice = z.output<typeof device>;
export type PairResponse = z.output<typeof pairResponse>;
export type Delivery = z.output<typeof delivery>;
export type WholeMessage = z.output<typeof wholeMessage>;
export type Snapshot = z.output<typeof snapshot>;
export type Inbox = z.output<typeof inbox>;
export type DeviceHistoryQuery = z.output<typeof deviceHistoryQuery>;
export type DeviceHistory = z.output<typeof deviceHistory>;
export type DeviceChannels = z.output<typeof deviceChannels>;
export type TapRequest = z.output<typeof tapRequest>;
export type TapResponse = z.output<typeof tapResponse>;
export type ClearRequest = z.output<typeof clearRequest>;
export type ClearResponse = z.output<typeof clearResponse>;
export type RestoreResponse = z.output<typeof restoreResponse>;
export type ShownNotifications = z.output<typeof shownNotifications>;
export type SnoozeRequest = z.output<typeof snoozeRequest>;
export type SnoozeResponse = z.output<typeof snoozeResponse>;
export type DismissalResponse = z.output<typeof dismissalResponse>;
export type DismissalRequest = z.output<typeof dismissalRequest>;
export type PreferencesRequest = z.output<typeof preferencesRequest>;
export type Preferences = z.output<typeof preferences>;
