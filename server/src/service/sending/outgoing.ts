import { LEASE_MS } from '../../delivery/outbox.ts';
import { addUsage } from '../../store/accounts/accounts.ts';
import { type AudienceDevice } from '../../store/phones/device-audience.ts';
import { setBadges } from '../../store/phones/devices.ts';
import { insertHistoryEntries, type NewHistoryEntry } from '../../store/history/history.ts';
import { insertMessageRows, type Message } from '../../store/outbox/messages.ts';
import { insertOutgoing, type OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { supersedeAll } from '../../store/outbox/outbox-outcomes.ts';
import type { Db, NewMessage } from '../../store/schema.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Lanes } from './lanes.ts';
import type { Sender } from './sender.ts';

/** Everything sent by an accepted request. Message and deliveries get their ids when stored. */
export interface Outgoing extends Dispatch {
	entry: NewHistoryEntry;
	message: NewMessage;
}

/**
 * Creates one delivery of the message per device, leased for its first attempt.
 * @param muted devices that it must not interrupt
 */
export function toOutgoing(
	sender: Sender,
	entry: NewHistoryEntry,
	message: Omit<NewMessage, 'account_id' | 'history_id' | 'created_at'>,
	{ devices, muted }: { devices: readonly AudienceDevice[]; muted: ReadonlySet<string> },
): Outgoing {
	const { account_id, created_at } = entry;
	const stored: Message = {
		id: 0,
		account_id,
		activity_id: null,
		kind: message.kind,
		content_json: message.content_json,
		lane: message.lane ?? null,
		created_at,
	};
	const leasedUntil = created_at + LEASE_MS;
	const deliveries = devices.map((device): OutgoingDelivery => {
		const badge = sender.badges.get(device.id);
		return {
			id: 0,
			attempts: 0,
			leasedUntil,
			message: stored,
			device: badge === undefined ? device : { ...device, badge },
			isMuted: muted.has(device.id),
		};
	});
	return {
		entry,
		message: { ...message, account_id, history_id: entry.id, created_at },
		recipients: devices,
		deliveries,
	};
}

/** Stores everything sent by the requests of a set, and their changes to accounts. */
export async function storeOutgoing(
	db: Db,
	outgoing: readonly Outgoing[],
	senders: Iterable<Sender>,
	lanes?: Lanes,
): Promise<void> {
	if (outgoing.length === 0) return;
	await insertHistoryEntries(
		db,
		outgoing.map(({ entry }) => entry),
	);
	const ids = await insertMessageRows(
		db,
		outgoing.map(({ message }) => message),
	);
	for (const [index, { deliveries }] of outgoing.entries()) {
		const message = deliveries[0]?.message;
		if (message) message.id = ids[index] ?? 0;
	}
	await supersedeAll(db, lanes?.replaced ?? []);
	await insertOutgoing(
		db,
		outgoing.flatMap(({ deliveries }) => deliveries),
		lanes?.overtaken ?? new Set(),
	);
	const changed = [...senders];
	await addUsage(
		db,
		changed
			.filter(({ newSends }) => newSends > 0)
			.map(({ account, period, newSends }) => ({
				account_id: account.id,
				period,
				sends: newSends,
			})),
	);
	await setBadges(db, new Map(changed.flatMap(({ badges }) => [...badges])));
}
