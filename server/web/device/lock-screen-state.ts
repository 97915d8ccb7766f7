import type {
	Delivery,
	ShownDevice,
	ShownNotifications,
	Snapshot,
	Preferences,
} from '../../src/contract/device.ts';
import type { Notification as Push, ShownActivity, ShownMetric } from '../../src/contract/shown.ts';
import { type Attention, alertAttention, pushAttention } from './attention.ts';
import { asksSame, leavesAt } from './questions.ts';
import { shownIn } from './shown-in.ts';

/** The lock screen's whole state: a pure function of the snapshot and the events after it. */
export interface LockScreenState {
	device: ShownDevice;
	/** Server clock minus this device's clock, in milliseconds, so timers agree on every phone. */
	clockOffset: number;
	/** Deliveries up to here are part of the snapshot. */
	snapshotCursor: number;
	/** Other deliveries already applied, so a repeated one is dropped. */
	seen: ReadonlySet<number>;
	/** The newest delivery known; the event stream resumes here after a lost connection. */
	cursor: number;
	badge: number;
	badgeSetBy: number;
	/** Newest first. */
	notifications: ShownNotification[];
	/** The total; older ones are not among `notifications`. */
	notificationCount: number;
	/** Last started first; an update never moves a card. */
	activities: ActivityCard[];
	metrics: ShownMetric[];
	/** The person's choices for all of their phones. */
	preferences: Preferences;
	/** Activities swiped away: an update already in transit must not restore them. */
	dismissedActivities: ReadonlySet<string>;
	/** The last thing that asked for attention. */
	attention: Attention | undefined;
}

export interface ShownNotification {
	id: number;
	sent_at: string;
	push: Push;
	/** Held back, because this phone was quiet. */
	held?: true | undefined;
	/** The delivery of the last update, if there was one. */
	updatedBy?: number;
	/** The first delivery of a question that was repeated since. */
	since?: number | undefined;
}

export interface ActivityCard {
	activity: ShownActivity;
	/** The delivery that brought this state; 0 if it was in the snapshot. */
	deliveryId: number;
	/** The last delivery with an `alert`; the card pulses when it changes. */
	alertId: number;
}

export type LockScreenEvent =
	| { type: 'snapshot'; snapshot: Snapshot; now: number }
	/** The state last shown, until the server sends a current one. */
	| { type: 'restored'; state: LockScreenState; now: number }
	| { type: 'delivery'; delivery: Delivery; now: number }
	| { type: 'metric'; metric: ShownMetric }
	| { type: 'preferences'; preferences: Preferences }
	| { type: 'badge_cleared' }
	| { type: 'notification_dismissed'; id: number }
	| { type: 'notifications_cleared'; upTo: number }
	/** The server's lists for deliveries up to `cursor`. */
	| {
			type: 'notifications_restored';
			notifications: ShownNotification[];
			count: number;
			cursor: number;
			activities?: ShownActivity[];
	  }
	/** Back on the screen, until the server has confirmed it. */
	| { type: 'undone'; card: ShownNotification | ActivityCard }
	| { type: 'notifications_shown'; shown: ShownNotifications }
	| { type: 'activity_dismissed'; activityId: string }
	| { type: 'time_passed'; now: number };

const MAX_NOTIFICATIONS = 100;
const MAX_SEEN = 2000;
/** Milliseconds; older deliveries are shown after an absence, but no longer ask for attention. */
const ATTENTION_WINDOW = 60_000;

/** The state after `event`. Without a snapshot, other events have nothing to apply to. */
export function reduce(
	state: LockScreenState | undefined,
	event: LockScreenEvent,
): LockScreenState | undefined {
	if (event.type === 'snapshot') return fromSnapshot(event.snapshot, event.now);
	if (event.type === 'restored')
		return state ?? withoutExpired({ ...event.state, attention: undefined }, event.now);
	if (state === undefined) return undefined;
	switch (event.type) {
		case 'delivery':
			return withDelivery(state, event.delivery, event.now);
		case 'metric':
			return { ...state, metrics: withMetric(state.metrics, event.metric) };
		case 'preferences':
			return { ...state, preferences: event.preferences };
		case 'badge_cleared':
			return { ...state, badge: 0 };
		case 'notification_dismissed':
			return withoutNotification(state, event.id);
		case 'notifications_cleared': {
			const notifications = state.notifications.filter(
				// Open questions stay.
				({ id, push }) => id > event.upTo || (push.question && !push.question.ended_at),
			);
			return { ...state, notifications, notificationCount: notifications.length };
		}
		case 'notifications_restored': {
			const newer = state.notifications.filter(({ id }) => id > event.cursor);
			const restored = {
				...state,
				notifications: [...newer, ...event.notifications].slice(0, MAX_NOTIFICATIONS),
				notificationCount: newer.length + event.count,
			};
			return (event.activities ?? []).reduce((next, activity) => {
				const shown = next.activities.find((card) => isOf(card, activity.activity_id));
				if (shown && shown.deliveryId > event.cursor) return next;
				return withCard(next, { activity, deliveryId: 0, alertId: shown?.alertId ?? 0 });
			}, restored);
		}
		case 'undone': {
			const { card } = event;
			if ('activity' in card) return withCard(state, card);
			const others = state.notifications.filter(({ id }) => id !== card.id);
			return withNotifications(state, [...others, card]);
		}
		case 'notifications_shown':
			return withShown(state, event.shown);
		case 'activity_dismissed':
			return {
				...state,
				activities: withoutActivity(state.activities, event.activityId),
				dismissedActivities: new Set([...state.dismissedActivities, event.activityId]),
			};
		case 'time_passed':
			return withoutExpired(state, event.now);
	}
}

/** True if the delivery was applied before, alone or as part of the snapshot. */
function isSeen(state: LockScreenState, deliveryId: number): boolean {
	return deliveryId <= state.snapshotCursor || state.seen.has(deliveryId);
}

function fromSnapshot(snapshot: Snapshot, now: number): LockScreenState {
	const state: LockScreenState = {
		device: snapshot.device,
		clockOffset: Date.parse(snapshot.server_time) - now,
		snapshotCursor: snapshot.cursor,
		// A push that arrived while the snapshot was made is in it, but its id is past the cursor.
		seen: new Set(shownIn(snapshot).map(({ id }) => id)),
		cursor: snapshot.cursor,
		badge: snapshot.badge,
		badgeSetBy: 0,
		notifications: shownIn(snapshot).slice(0, MAX_NOTIFICATIONS),
		notificationCount: snapshot.notification_count + snapshot.questions.length,
		activities: snapshot.activities
			.map((activity) => ({ activity, deliveryId: 0, alertId: 0 }))
			.sort(lastStartedFirst),
		metrics: snapshot.metrics,
		preferences: snapshot.preferences,
		dismissedActivities: new Set(),
		attention: undefined,
	};
	return withoutExpired(state, now);
}

function withDelivery(state: LockScreenState, delivery: Delivery, now: number): LockScreenState {
	if (isSeen(state, delivery.id)) return state;
	const next: LockScreenState = {
		...state,
		seen: withSeen(state.seen, delivery.id),
		cursor: Math.max(state.cursor, delivery.id),
	};
	const isFresh = now + state.clockOffset - Date.parse(delivery.sent_at) < ATTENTION_WINDOW;
	switch (delivery.kind) {
		case 'push':
			return withPush(next, delivery, isFresh);
		case 'push_update':
			return withPushUpdate(next, delivery);
		case 'badge':
			return withBadge(next, delivery.badge, delivery.id);
		case 'activity_start':
		case 'activity_update':
		case 'activity_end':
			return withActivity(next, delivery, now, isFresh);
		default:
			// A kind this page does not know yet: skipped, but not requested again.
			return next;
	}
}

/** Takes notifications from the list and from the count, or adds them, as they were dismissed or restored here. */
function withNotifications(state: LockScreenState, shown: ShownNotification[]): LockScreenState {
	const notifications = shown.toSorted((a, b) => b.id - a.id);
	const gone = state.notifications.length - notifications.length;
	return { ...state, notifications, notificationCount: state.notificationCount - gone };
}

function withoutNotification(state: LockScreenState, id: number): LockScreenState {
	const others = state.notifications.filter((one) => one.id !== id);
	return withNotifications(state, others);
}

function isOf({ activity }: ActivityCard, activityId: string): boolean {
	return activity.activity_id === activityId;
}

/** Adds the card of an activity, or replaces it; it is no longer dismissed. */
function withCard(state: LockScreenState, card: ActivityCard): LockScreenState {
	const { activity_id: id } = card.activity;
	return {
		...state,
		activities: [card, ...withoutActivity(state.activities, id)].sort(lastStartedFirst),
		dismissedActivities: new Set([...state.dismissedActivities].filter((other) => other !== id)),
	};
}

/** Drops what was dismissed on another page or phone, and takes over the server's count. */
function withShown(
	state: LockScreenState,
	{ cursor, ids, count, question_ids: questions, activity_ids: activityIds }: ShownNotifications,
): LockScreenState {
	const shown = new Set(ids);
	const oldest = ids.at(-1) ?? Infinity;
	const gone = state.activities.filter(
		({ activity, deliveryId }) =>
			deliveryId <= cursor && !activityIds.includes(activity.activity_id),
	);
	const newer = state.notifications.filter(({ id }) => id > cursor);
	const isShown = ({ id, push }: ShownNotification) =>
		push.question ? questions.includes(id) : shown.has(id) || (id < oldest && count > ids.length);
	const kept = state.notifications.filter((one) => one.id <= cursor && isShown(one));
	return {
		...state,
		notifications: [...newer, ...kept],
		notificationCount: newer.length + count + questions.length,
		activities: state.activities.filter((card) => !gone.includes(card)),
	};
}

function withSeen(seen: ReadonlySet<number>, id: number): ReadonlySet<number> {
	const ids = [...seen, id];
	return new Set(ids.length > MAX_SEEN ? ids.slice(-MAX_SEEN / 2) : ids);
}

function withPush(
	state: LockScreenState,
	{ id, sent_at, push, muted, held }: Delivery & { kind: 'push' },
	isFresh: boolean,
): LockScreenState {
	const next = push.badge === undefined ? state : withBadge(state, push.badge, id);
	// A reminder takes the place of the question that it repeats, and a push of the one before it in its sequence.
	const isSame = (shown: ShownNotification) =>
		asksSame(shown.push, push) || isOfSequence(shown.push, push);
	if (next.notifications.some((shown) => isSame(shown) && shown.id > id)) return next;
	const others = next.notifications.filter((shown) => !isSame(shown));
	// Such a push is only in the history: the person does not want to be interrupted by it.
	if (muted) return withNotifications(next, others);
	const before = next.notifications.find((shown) => asksSame(shown.push, push));
	const since = before && (before.since ?? before.id);
	const all = withNotifications(next, [...others, { id, sent_at, push, held, since }]);
	const added = { ...all, notifications: all.notifications.slice(0, MAX_NOTIFICATIONS) };
	if (!isFresh || held || push.interruption_level === 'passive') return added;
	return { ...added, attention: pushAttention(id, push) };
}

/** Replaces the whole push. One no longer on the lock screen does not return. */
function withPushUpdate(
	state: LockScreenState,
	{ id, delivery_id: pushId, push }: Delivery & { kind: 'push_update' },
): LockScreenState {
	if (push.cleared) return withoutNotification(state, pushId);
	const isOlder = ({ updatedBy = 0 }: ShownNotification) => updatedBy < id;
	const notifications = state.notifications.map((shown) =>
		(shown.id === pushId || asksSame(shown.push, push)) && isOlder(shown)
			? { ...shown, push, updatedBy: id }
			: shown,
	);
	return { ...state, notifications };
}

function isOfSequence(a: Push, b: Push): boolean {
	return a.sequence_id !== undefined && a.sequence_id === b.sequence_id;
}

function withBadge(state: LockScreenState, badge: number, deliveryId: number): LockScreenState {
	return deliveryId < state.badgeSetBy ? state : { ...state, badge, badgeSetBy: deliveryId };
}

/** Every delivery carries its activity's whole state, so only the newest one counts. */
function withActivity(
	state: LockScreenState,
	{
		id,
		activity,
		alert,
	}: Delivery & { kind: 'activity_start' | 'activity_update' | 'activity_end' },
	now: number,
	isFresh: boolean,
): LockScreenState {
	const activityId = activity.activity_id;
	const shown = state.activities.find((card) => isOf(card, activityId));
	if (state.dismissedActivities.has(activityId) || (shown && shown.deliveryId > id)) return state;
	const isAlert = alert !== undefined && isFresh;
	const card = { activity, deliveryId: id, alertId: isAlert ? id : (shown?.alertId ?? 0) };
	const next = withoutExpired(withCard(state, card), now);
	return isAlert ? { ...next, attention: alertAttention(id, activity, alert) } : next;
}

function lastStartedFirst(a: ActivityCard, b: ActivityCard): number {
	return Date.parse(b.activity.started_at) - Date.parse(a.activity.started_at);
}

function withoutActivity(cards: ActivityCard[], activityId: string): ActivityCard[] {
	return cards.filter((card) => !isOf(card, activityId));
}

function withoutExpired(state: LockScreenState, now: number): LockScreenState {
	const serverNow = now + state.clockOffset;
	const activities = state.activities.filter(({ activity }) => {
		return activity.dismiss_at === null || Date.parse(activity.dismiss_at) > serverNow;
	});
	const notifications = state.notifications.filter(
		({ push }) => (leavesAt(push) ?? Infinity) > serverNow,
	);
	const isSame =
		activities.length === state.activities.length &&
		notifications.length === state.notifications.length;
	return isSame ? state : { ...withNotifications(state, notifications), activities };
}

function withMetric(metrics: ShownMetric[], metric: ShownMetric): ShownMetric[] {
	const isKnown = metrics.some(({ key }) => key === metric.key);
	return isKnown
		? metrics.map((old) => (old.key === metric.key ? metric : old))
		: [...metrics, metric];
}
