import type { Delivery, DeviceHistory, DeviceHistoryQuery } from '../../contract/device.ts';
import { deliveryHistory } from '../../store/phones/inbox.ts';
import type { Context } from '../context.ts';
import { toDelivery } from './inbox.ts';
import type { Phone } from './pairing.ts';
import { inSearchTurn } from '../search-turns.ts';

/** Stretches read by one request; the phone then asks whether to continue. */
const STRETCHES = 100;

/**
 * The deliveries a phone has received, newest first, one page at a time; its lock screen shows only recent
 * ones. A search with few matches stops after a bounded distance: the page is then short or empty, and
 * `before` continues from there.
 */
export async function readDeviceHistory(
	context: Context,
	device: Phone,
	{ before, limit, ...filter }: DeviceHistoryQuery,
): Promise<DeviceHistory> {
	const deliveries: Delivery[] = [];
	let next: number | undefined = before;
	for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
		const page = await inSearchTurn(() =>
			deliveryHistory(context.database.read, device.id, {
				before: next,
				...filter,
				limit: limit - deliveries.length,
			}),
		);
		deliveries.push(...page.entries.map(toDelivery));
		next = page.next;
		if (next === undefined || deliveries.length === limit) break;
	}
	return { deliveries, before: next ?? null };
}
