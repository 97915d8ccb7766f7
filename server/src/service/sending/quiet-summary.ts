import type { Notification } from '../../contract/shown.ts';
import { shortened } from '../../contract/text.ts';
import { type AudienceDevice, devicesWithIds } from '../../store/phones/device-audience.ts';
import {
	dueSummaries,
	type HeldPush,
	heldPushes,
	planSummaries,
	type QuietSummary,
} from '../../store/phones/quiet-summaries.ts';
import type { LaterKind } from '../later/later.ts';
import { storeServerPushes, toServerPush, toSummaries } from './outgoing.ts';
import { heldOn, messageUrgency, quietUntil, toQuietSettings } from '../quiet/rules.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import { markHeld } from '../../store/outbox/outcomes.ts';
import type { Db } from '../../store/schema.ts';

const MAX_TITLE_LENGTH = 80;

/** Sends each phone whose quiet time has ended one push that summarizes those held back. */
export const quietSummaries: LaterKind<QuietSummary> = {
	what: 'sending quiet summaries',
	rows: dueSummaries,
	async handle(db, { context, accountId, rows, time }) {
		const devices = new Map(
			(await devicesWithIds(db, { ids: rows.map((summary) => summary.device_id) }))
				.filter(({ status }) => status === 'active')
				.map((device) => [device.id, device]),
		);
		const endOf = (id: string) => {
			const device = devices.get(id);
			return device && quietUntil(toQuietSettings(device), time);
		};
		// The person may have extended the quiet time since.
		const later = rows.flatMap((summary) => {
			const due_at = endOf(summary.device_id);
			return due_at === undefined ? [] : [{ ...summary, due_at }];
		});
		await planSummaries(db, later);
		const over = rows.filter(({ device_id: id }) => devices.has(id) && endOf(id) === undefined);
		const pushes = byContent(await heldPushes(db, over), devices);
		if (pushes.length === 0) return {};
		const entry = { accountId, title: 'Summary of what was held back', now: context.now() };
		const sent = await storeServerPushes(db, entry, pushes);
		return { deliveries: sent.flatMap(({ deliveries }) => deliveries) };
	},
};

/** The devices by content, which is the same if the same pushes were held back. */
function byContent(held: readonly HeldPush[], devices: ReadonlyMap<string, AudienceDevice>) {
	const contents = new Map<string, AudienceDevice[]>();
	for (const [id, pushes] of Map.groupBy(held, ({ device_id: id }) => id)) {
		const device = devices.get(id);
		if (!device) continue;
		const content = JSON.stringify(toSummary(pushes));
		contents.set(content, [...(contents.get(content) ?? []), device]);
	}
	return [...contents].map(([content_json, phones]) => ({ content_json, devices: phones }));
}

function toSummary(pushes: readonly HeldPush[]): Notification {
	const total = pushes[0]?.total ?? 0;
	const titles = pushes.map(({ content_json: json }) =>
		shortened((JSON.parse(json) as Notification).title, MAX_TITLE_LENGTH),
	);
	const more = total - titles.length;
	return toServerPush(
		total === 1 ? '1 notification was held back' : `${total} notifications were held back`,
		[...titles, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
	);
}

/**
 * Holds back deliveries to phones that became quiet after the first attempt, and plans their summaries
 * (docs/device-protocol.md "Quiet").
 * @param claimed deliveries about to be attempted again
 * @param now milliseconds since 1970
 * @returns all of them
 */
export async function holdBackClaimed(db: Db, claimed: readonly OutgoingDelivery[], now: number) {
	const deliveries = claimed.map((delivery): OutgoingDelivery => {
		const { device, message, isMuted, isHeld } = delivery;
		if (isMuted || isHeld || device.quiet_json === null) return delivery;
		const held = heldOn(device, messageUrgency(message), now);
		return held ? { ...delivery, isHeld: true, heldUntil: held.until } : delivery;
	});
	const held = deliveries.filter((delivery, index) => delivery !== claimed[index]);
	await markHeld(db, held);
	await planSummaries(db, toSummaries(held));
	return deliveries;
}
