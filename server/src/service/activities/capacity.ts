import type { Account } from '../../store/schema.ts';
import { Refusal } from '../refusal.ts';
import { ACTIVITIES_PER_DEVICE, type Board, type LiveActivity } from '../sending/board.ts';

function capacityRefusal(full: number, targeted: number, active: number): Refusal {
	const which =
		full === targeted ? 'Every targeted phone' : `${full} of ${targeted} targeted phones`;
	return new Refusal(
		'capacity',
		'Live Activity limit reached',
		`${which} already ${full === targeted || full === 1 ? 'shows' : 'show'} ${ACTIVITIES_PER_DEVICE} Live Activities. End one of them, then start this one again.`,
		{
			limit: ACTIVITIES_PER_DEVICE,
			active,
			...(full < targeted && { blocked_devices: full, targeted_devices: targeted }),
		},
	);
}

/**
 * Finds room for one more activity on every targeted device.
 * @param leaving an activity that ends before this one starts
 * @returns the activities that a trial account must end for it
 * @throws Refusal `capacity` for a paid account when a targeted device is full
 */
export function findRoom(
	board: Board,
	account: Account,
	deviceIds: readonly string[],
	leaving?: LiveActivity,
): LiveActivity[] {
	const ending = new Set<LiveActivity>();
	const freed = new Map<string, number>();
	const free = (activity: LiveActivity) => {
		ending.add(activity);
		if (!board.isRunning(activity)) return;
		for (const { id } of activity.devices) freed.set(id, (freed.get(id) ?? 0) + 1);
	};
	const activeOn = (id: string) => board.runningOn(id) - (freed.get(id) ?? 0);
	const isFull = (id: string) => activeOn(id) >= ACTIVITIES_PER_DEVICE;

	if (leaving) free(leaving);
	const evicted: LiveActivity[] = [];
	let oldestFirst: Map<string, LiveActivity[]> | undefined;
	for (const deviceId of deviceIds) {
		if (!isFull(deviceId)) continue;
		if (account.plan !== 'trial') {
			const full = deviceIds.filter(isFull);
			throw capacityRefusal(full.length, deviceIds.length, Math.max(...full.map(activeOn)));
		}
		oldestFirst ??= board.runningByDevice();
		for (const oldest of oldestFirst.get(deviceId) ?? []) {
			if (!isFull(deviceId)) break;
			if (ending.has(oldest)) continue;
			free(oldest);
			evicted.push(oldest);
		}
	}
	return evicted;
}
