import type { DeviceHistory, DeviceHistoryQuery } from '../contract/device.ts';
import { shownDelivery } from '../delivery/shown.ts';
import { deliveryHistory } from '../store/inbox.ts';
import type { Context } from './context.ts';
import type { Phone } from './devices.ts';

/** What the phone has received, newest first, a page at a time; its lock screen shows only the recent. */
export async function readDeviceHistory(
	context: Context,
	device: Phone,
	query: DeviceHistoryQuery,
): Promise<DeviceHistory> {
	const { limit } = query;
	const entries = await deliveryHistory(context.database.read, device.id, {
		...query,
		limit: limit + 1,
	});
	const deliveries = entries
		.slice(0, limit)
		.map((entry) => shownDelivery(entry.id, entry, entry.muted === 1));
	const last = deliveries.at(-1);
	return { deliveries, before: last && entries.length > limit ? last.id : null };
}
