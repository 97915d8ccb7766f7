import type { Notification } from '../../contract/shown.ts';
import { shortened } from '../../contract/text.ts';
import { insertHistoryEntries } from '../../store/history/history.ts';
import { type AudienceDevice, devicesOfAccounts } from '../../store/phones/device-audience.ts';
import {
	dueSummaries,
	type HeldPush,
	heldPushes,
	planSummaries,
	takeDueSummaries,
} from '../../store/phones/quiet-summaries.ts';
import type { Db } from '../../store/schema.ts';
import type { Context } from '../context.ts';
import { forEachAccount } from '../../regular-work.ts';
import { newHistoryId } from '../secrets.ts';
import { attempt, type OutgoingMessage, storeMessages, toMessage, toOutgoing } from './outgoing.ts';
import { toQuietSettings, quietUntil } from '../quiet/rules.ts';

const AT_ONCE = 500;
const LONGEST_TITLE = 80;

/**
 * Sends one push about those held back meanwhile to each phone whose quiet time is over.
 * @returns the number of phones
 */
export async function sendQuietSummaries(context: Context): Promise<number> {
	const due = await dueSummaries(context.database.read, context.now(), AT_ONCE);
	let count = 0;
	await forEachAccount(due, async (accountId, some) => {
		const ids = some.map(({ device_id: id }) => id);
		const sent = await context.database.write(accountId, (db) =>
			storeSummaries(db, context, accountId, ids),
		);
		await attempt(context, sent);
		for (const { deliveries } of sent) count += deliveries.length;
	});
	return count;
}

async function storeSummaries(
	db: Db,
	context: Context,
	accountId: string,
	deviceIds: readonly string[],
): Promise<OutgoingMessage[]> {
	const now = context.now();
	const taken = await takeDueSummaries(db, deviceIds, now);
	if (taken.length === 0) return [];
	const devices = new Map(
		(await devicesOfAccounts(db, { accountIds: [accountId] }))
			.filter(({ status }) => status === 'active')
			.map((device) => [device.id, device]),
	);
	const endOf = (id: string) => {
		const device = devices.get(id);
		return device && quietUntil(toQuietSettings(device), now);
	};
	// The quiet time may have been made longer since.
	const later = taken.flatMap((summary) => {
		const due_at = endOf(summary.device_id);
		return due_at === undefined ? [] : [{ ...summary, due_at }];
	});
	await planSummaries(db, later);
	const over = taken.filter(({ device_id: id }) => devices.has(id) && endOf(id) === undefined);
	const held = await heldPushes(db, over);
	return send(db, { accountId, now }, byContent(held, devices));
}

/** The devices by content, which is the same if the same pushes were held back. */
function byContent(
	held: readonly HeldPush[],
	devices: ReadonlyMap<string, AudienceDevice>,
): Map<string, AudienceDevice[]> {
	const contents = new Map<string, AudienceDevice[]>();
	for (const [id, pushes] of Map.groupBy(held, ({ device_id: id }) => id)) {
		const device = devices.get(id);
		if (!device) continue;
		const content = JSON.stringify(toSummary(pushes));
		contents.set(content, [...(contents.get(content) ?? []), device]);
	}
	return contents;
}

function toSummary(pushes: readonly HeldPush[]): Notification {
	const total = pushes[0]?.total ?? 0;
	const titles = pushes.map(({ content_json: json }) =>
		shortened((JSON.parse(json) as Notification).title, LONGEST_TITLE),
	);
	const more = total - titles.length;
	return {
		title: total === 1 ? '1 notification was held back' : `${total} notifications were held back`,
		message: [...titles, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
		interruption_level: 'active',
		sound: 'default',
	};
}

/** The summaries of an account share one entry of its history. */
async function send(
	db: Db,
	{ accountId, now }: { accountId: string; now: number },
	contents: ReadonlyMap<string, readonly AudienceDevice[]>,
): Promise<OutgoingMessage[]> {
	if (contents.size === 0) return [];
	const entry = {
		id: newHistoryId(now),
		account_id: accountId,
		api_key_id: null,
		kind: 'push' as const,
		title: 'Summary of what was held back',
		channels: null,
		created_at: now,
	};
	await insertHistoryEntries(db, [entry]);
	const outgoing = [...contents].map(([content_json, devices]) =>
		toOutgoing(toMessage(entry, { content_json }), { devices }),
	);
	await storeMessages(db, outgoing);
	return outgoing;
}
