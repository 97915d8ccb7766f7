import type { Delivery, DeviceHistory, DeviceHistoryQuery } from '../contract/device.ts';
import { deliveryHistory } from '../store/phones/inbox.ts';
import type { Context } from './context.ts';
import { deliveryOf, type Phone } from './devices.ts';
import { inSearchTurn } from './search-turns.ts';

/** Stretches that one question looks through; then the phone asks whether to go on. */
const STRETCHES = 100;

/**
 * What the phone has received, newest first, a page at a time; its lock screen shows only the recent.
 * A search that finds little looks back so far and no further: the page is short then, or empty, and
 * `before` goes on from there.
 */
export async function readDeviceHistory(
	context: Context,
	device: Phone,
	{ before, search, limit }: DeviceHistoryQuery,
): Promise<DeviceHistory> {
	const deliveries: Delivery[] = [];
	let next: number | undefined = before;
	for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
		const page = await inSearchTurn(() =>
			deliveryHistory(context.database.read, device.id, {
				before: next,
				search,
				limit: limit - deliveries.length,
			}),
		);
		deliveries.push(...page.entries.map(deliveryOf));
		next = page.next;
		if (next === undefined || deliveries.length === limit) break;
	}
	return { deliveries, before: next ?? null };
}
