import type { Notification } from '../../contract/shown.ts';
import { isSuccess } from '../../delivery/gateway.ts';
import { type FirstAttempts, LEASE_MS } from '../../delivery/outbox.ts';
import { insertHistoryEntries, type NewHistoryEntry } from '../../store/history/history.ts';
import { insertMessages, type Message } from '../../store/outbox/messages.ts';
import {
	type DeliveryDevice,
	insertDeliveries,
	type OutgoingDelivery,
} from '../../store/outbox/deliveries.ts';
import { supersedeAll } from '../../store/outbox/outcomes.ts';
import { planSummaries, type QuietSummary } from '../../store/phones/quiet-summaries.ts';
import type { Db, MessageKind, NewMessage, RepeatRow } from '../../store/schema.ts';
import type { Caller, Context } from '../context.ts';
import type { QuestionToStore } from '../questions/asking.ts';
import { heldOn, type Urgency } from '../quiet/rules.ts';
import { newHistoryId } from '../secrets.ts';
import type { Audience } from './audience.ts';
import { loadLanes } from './delivery-lanes.ts';

interface Recipient extends DeliveryDevice {
	user_id: string;
}

/** A message with a delivery per recipient. All get their ids when stored; the first attempts follow the commit. */
export interface OutgoingMessage {
	message: NewMessage & Message;
	recipients: readonly Recipient[];
	deliveries: OutgoingDelivery[];
}

/** What decides whether a message may interrupt on a device. */
interface Interruption {
	/** The devices that have muted its channels. */
	muted?: ReadonlySet<string>;
	/** Absent: quiet devices do not hold it back. */
	urgency?: Urgency | undefined;
	/** True if a Live Activity makes the sound in its place. */
	isOnActivity?: boolean;
}

interface Receivers extends Interruption {
	devices: readonly Recipient[];
}

/** A delivery to be stored, leased for its first attempt. A muted one is not also held back. */
export function newDelivery(
	message: Message,
	device: DeliveryDevice,
	{ muted, urgency, isOnActivity = false }: Interruption,
	now: number,
): OutgoingDelivery {
	const isMuted = muted?.has(device.id) ?? false;
	const held = isMuted || isOnActivity ? undefined : heldOn(device, urgency, now);
	return {
		id: 0,
		attempts: 0,
		leasedUntil: now + LEASE_MS,
		message,
		device,
		isMuted,
		isHeld: held !== undefined || (isOnActivity && !isMuted),
		isOnActivity,
		heldUntil: held?.until,
	};
}

/** Creates one delivery of the message per device, leased for its first attempt. */
export function toOutgoing(message: Omit<NewMessage, 'id'>, receivers: Receivers): OutgoingMessage {
	const stored = { lane: null, expires_at: null, ...message, id: 0 };
	const { devices } = receivers;
	const deliveries = devices.map((device) =>
		newDelivery(stored, device, receivers, message.created_at),
	);
	return { message: stored, recipients: devices, deliveries };
}

/** Stores messages with their deliveries, and sets the ids of both. @param now milliseconds since 1970 */
export async function storeMessages(db: Db, outgoing: readonly OutgoingMessage[], now: number) {
	const messages = outgoing.map(({ message }) => message);
	const ids = await insertMessages(db, messages);
	for (const [index, message] of messages.entries()) message.id = ids[index] ?? 0;
	const deliveries = outgoing.flatMap((message) => message.deliveries);
	await storeDeliveries(db, deliveries, now);
}

/**
 * Stores deliveries of stored messages, each behind the others of its lane, and sets their ids.
 * @param deliveries in the order of their messages
 */
export async function storeDeliveries(
	db: Db,
	deliveries: readonly OutgoingDelivery[],
	now: number,
) {
	const lanes = await loadLanes(db, deliveries, now);
	for (const delivery of deliveries) lanes.join(delivery);
	await supersedeAll(db, lanes.replaced);
	await insertDeliveries(db, deliveries, lanes.overtaken);
	await planSummaries(db, toSummaries(deliveries));
}

/** The summaries to send when the quiet times end, one for each device. */
export function toSummaries(deliveries: readonly OutgoingDelivery[]): QuietSummary[] {
	const summaries = new Map<string, QuietSummary>();
	for (const { id, message, device, heldUntil } of deliveries) {
		if (heldUntil === undefined) continue;
		summaries.set(device.id, {
			device_id: device.id,
			account_id: message.account_id,
			first_delivery_id: summaries.get(device.id)?.first_delivery_id ?? id,
			due_at: heldUntil,
		});
	}
	return [...summaries.values()];
}

type SentKind = Extract<NewHistoryEntry['kind'], MessageKind>;
type SentEntry = NewHistoryEntry & { kind: SentKind };

/** What the history entries of a push and a badge have in common. @param now milliseconds since 1970 */
export function newEntry<K extends SentKind>(
	kind: K,
	{ accountId, keyId, requestId }: Pick<Caller, 'accountId' | 'keyId' | 'requestId'>,
	now: number,
) {
	const origin = { account_id: accountId, api_key_id: keyId, request_id: requestId ?? null };
	return { id: newHistoryId(now), kind, created_at: now, ...origin };
}

/** A message of a push or a badge: of the same account, kind and time as its history entry. */
export function toMessage(
	{ id, account_id, kind, created_at }: SentEntry,
	content: Pick<NewMessage, 'content_json' | 'actions_json' | 'lane' | 'expires_at'>,
): NewMessage {
	return { account_id, history_id: id, kind, created_at, ...content };
}

/** The content of a push that the server itself sends. */
export function toServerPush(title: string, message: string): Notification {
	return { title, message, interruption_level: 'active', sound: 'default' };
}

/**
 * Stores pushes that the server itself sends, under one history entry.
 * @param pushes the content of each with its phones; without an urgency, it interrupts even phones that are quiet
 */
export async function storeServerPushes(
	db: Db,
	{ accountId, title, now }: { accountId: string; title: string; now: number },
	pushes: ReadonlyArray<Receivers & { content_json: string }>,
): Promise<OutgoingMessage[]> {
	const entry = { ...newEntry('push', { accountId, keyId: null }, now), title, channels: null };
	await insertHistoryEntries(db, [entry]);
	const outgoing = pushes.map(({ content_json, ...receivers }) =>
		toOutgoing(toMessage(entry, { content_json }), receivers),
	);
	await storeMessages(db, outgoing, now);
	return outgoing;
}

/** A push or a badge as decided, with everything stored with it. */
export interface AcceptedMessage extends OutgoingMessage {
	entry: NewHistoryEntry;
	audience: Audience;
	/** Gets the id of the message once it is stored. */
	repeat?: RepeatRow;
	/** The question that it asks; gets the id of the message once it is stored. */
	asked?: QuestionToStore;
	/** The messages of the Live Activity that shows the question. */
	onActivity?: readonly OutgoingMessage[];
	/** The sequence whose last push it replaces. */
	sequence?: string;
	/** Hash of the path of its picture, if this server stores it. */
	imageHash?: string | undefined;
}

/** Makes the first attempts; unfinished ones continue in the outbox. */
export function attempt(context: Context, sent: readonly OutgoingMessage[]) {
	return context.outbox.deliverNow(sent.flatMap(({ deliveries }) => deliveries));
}

/**
 * Counts the devices whose gateway accepted it, or whose delivery is stored and being retried, and their
 * users (docs/api-decisions.md "Recipients and counts").
 */
export function countNotified(message: OutgoingMessage, attempts: FirstAttempts) {
	const missed = new Set<string>();
	for (const { id, device } of message.deliveries) {
		const outcome = attempts.get(id);
		if (outcome && !isSuccess(outcome) && outcome.kind !== 'retry') missed.add(device.id);
	}
	const notified = message.recipients.filter(({ id }) => !missed.has(id));
	const users = new Set(notified.map(({ user_id: user }) => user));
	return { devices_notified: notified.length, users_notified: users.size };
}
