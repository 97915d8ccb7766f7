import { oldestRunningOn, runningCounts } from '../store/activities/activities.ts';
import type { Account, Activity, Db } from '../store/schema.ts';
import { Refusal } from './refusal.ts';

/** Live Activities that iOS shows for one app on one device (service-api.md "Limits"). */
export const ACTIVITIES_PER_DEVICE = 5;

/** iOS ends a Live Activity after eight hours, and so does Beckon. */
export const ACTIVITY_LIFETIME_MS = 8 * 60 * 60 * 1_000;

function capacityRefusal(full: number, targeted: number, active: number): Refusal {
	const which =
		full === targeted ? 'Every targeted device' : `${full} of ${targeted} targeted devices`;
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
 * Ensures that every targeted device has room for one more activity.
 * @param endOldest ends an activity to make room; used for a trial account's start
 * @throws Refusal `capacity` for a paid account when a targeted device is full
 */
export async function makeRoom(
	db: Db,
	account: Account,
	deviceIds: readonly string[],
	now: number,
	endOldest: (activity: Activity) => Promise<void>,
): Promise<void> {
	const startedAfter = now - ACTIVITY_LIFETIME_MS;
	for (;;) {
		const counts = await runningCounts(db, account.id, startedAfter);
		const full = deviceIds.filter((id) => (counts.get(id) ?? 0) >= ACTIVITIES_PER_DEVICE);
		const [first] = full;
		if (first === undefined) return;
		if (account.plan !== 'trial') {
			throw capacityRefusal(
				full.length,
				deviceIds.length,
				Math.max(...full.map((id) => counts.get(id) ?? 0)),
			);
		}
		const oldest = await oldestRunningOn(db, account.id, first, startedAfter);
		if (!oldest) return;
		await endOldest(oldest);
	}
}
