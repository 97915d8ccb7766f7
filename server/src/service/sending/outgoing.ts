import { LEASE_MS } from '../../delivery/outbox.ts';
import type { NewHistoryEntry } from '../../store/history/history.ts';
import { insertMessages, type Message } from '../../store/outbox/messages.ts';
import {
	type DeliveryDevice,
	insertDeliveries,
	type OutgoingDelivery,
} from '../../store/outbox/outbox.ts';
import { supersedeAll } from '../../store/outbox/outbox-outcomes.ts';
import { planSummaries, type QuietSummary } from '../../store/phones/quiet-summaries.ts';
import type { Db, MessageKind, NewMessage, RepeatRow } from '../../store/schema.ts';
import type { Held } from '../phones/quiet.ts';
import type { Dispatch, Recipient } from './dispatch.ts';
import type { Lanes } from './lanes.ts';

/** A message with its deliveries; both get their ids when stored. */
export interface Outgoing extends Dispatch {
	message: NewMessage & Message;
}

/** The devices that a message must not interrupt. */
interface Silenced {
	/** Those that have muted its channels. */
	muted: ReadonlySet<string>;
	/** Those that are quiet now. */
	held?: ReadonlyMap<string, Held> | undefined;
}

interface Receivers extends Silenced {
	devices: readonly Recipient[];
}

/** A delivery to be stored, leased for its first attempt. A muted one is not also held back. */
export function newDelivery(
	message: Message,
	device: DeliveryDevice,
	{ muted, held }: Silenced,
	leasedUntil: number,
): OutgoingDelivery {
	const isMuted = muted.has(device.id);
	const back = isMuted ? undefined : held?.get(device.id);
	return {
		id: 0,
		attempts: 0,
		leasedUntil,
		message,
		device,
		isMuted,
		isHeld: back !== undefined,
		heldUntil: back?.until,
	};
}

/**
 * Creates one delivery of the message per device, leased for its first attempt.
 * @param lanes lanes of the devices, which the deliveries join
 */
export function toOutgoing(
	message: Omit<NewMessage, 'id'>,
	receivers: Receivers,
	lanes?: Lanes,
): Outgoing {
	const stored = { lane: null, ...message, id: 0 };
	const leasedUntil = message.created_at + LEASE_MS;
	const { devices } = receivers;
	const deliveries = devices.map((device) => newDelivery(stored, device, receivers, leasedUntil));
	if (lanes) for (const delivery of deliveries) lanes.join(delivery);
	return { message: stored, recipients: devices, deliveries };
}

/** Stores messages with their deliveries, and sets the ids of both. @param lanes those the deliveries joined */
export async function storeMessages(
	db: Db,
	outgoing: readonly Outgoing[],
	lanes?: Lanes,
): Promise<void> {
	const ids = await insertMessages(
		db,
		outgoing.map(({ message }) => message),
	);
	for (const [index, { message }] of outgoing.entries()) message.id = ids[index] ?? 0;
	await storeDeliveries(
		db,
		outgoing.flatMap(({ deliveries }) => deliveries),
		lanes,
	);
}

/** Stores deliveries of stored messages, and sets their ids. @param lanes those they joined */
export async function storeDeliveries(
	db: Db,
	deliveries: readonly OutgoingDelivery[],
	lanes?: Lanes,
): Promise<void> {
	await supersedeAll(db, lanes?.replaced ?? []);
	await insertDeliveries(db, deliveries, lanes?.overtaken ?? new Set());
	await planSummaries(db, toSummaries(deliveries));
}

/** The summaries that follow when the quiet times are over, one for each device. */
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

type SentEntry = NewHistoryEntry & { kind: Extract<NewHistoryEntry['kind'], MessageKind> };

/** A message of a push or a badge: of the same account, kind and time as its history entry. */
export function toMessage(
	{ id, account_id, kind, created_at }: SentEntry,
	content: Pick<NewMessage, 'content_json' | 'actions_json' | 'lane'>,
): NewMessage {
	return { account_id, history_id: id, kind, created_at, ...content };
}

/** A push or a badge, with all that is stored with it. */
export interface Sending extends Outgoing {
	entry: NewHistoryEntry;
	/** Gets the id of the message once it is stored. */
	repeat?: RepeatRow;
	/** Hash of the path of its picture, if this server stores it. */
	imageHash?: string | undefined;
}
