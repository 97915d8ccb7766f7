import type { Database } from '../store/database.ts';
import { queueForNextToken } from '../store/activities/activity-devices.ts';
import { forgetPushToStartToken, markGone } from '../store/phones/devices.ts';
import { isOfActivity } from '../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../store/outbox/outbox.ts';
import {
	failPending,
	markFailed,
	markForRetry,
	markHandedOver,
	markStored,
	markSuperseded,
	release,
} from '../store/outbox/outbox-outcomes.ts';
import type { Db } from '../store/schema.ts';
import { backoffMs, MAX_ATTEMPTS } from './backoff.ts';
import { isTaken, type Outcome, type Taken } from './gateway.ts';

/** One attempt; has no outcome if there was no time to make it. */
export interface Attempted {
	delivery: OutgoingDelivery;
	outcome: Outcome | undefined;
}

interface Recording {
	database: Database;
	now: () => number;
	onError: (error: unknown) => void;
}

/**
 * Records the outcomes of attempts, in one transaction for each account whose other writes they depend on. Those that
 * cannot be recorded stay pending in the store, and are attempted again when their lease ends.
 */
export async function recordOutcomes(
	{ database, now, onError }: Recording,
	attempts: readonly Attempted[],
): Promise<void> {
	const writes = [...byScope(attempts)].map(([scope, some]) =>
		database.write(scope, (db) => recordTogether(db, some, now())).catch(onError),
	);
	await Promise.all(writes);
}

/**
 * Groups attempts by the account whose other writes their outcome depends on: a failed delivery may be
 * superseded by a newer one, or wait for a token. One that was taken, or not attempted, depends on nothing.
 */
function byScope(attempts: readonly Attempted[]): Map<string | null, Attempted[]> {
	return Map.groupBy(attempts, ({ delivery, outcome }) =>
		outcome === undefined || isTaken(outcome) ? null : delivery.message.account_id,
	);
}

async function recordTogether(db: Db, attempts: readonly Attempted[], now: number): Promise<void> {
	const idsWith = (kind: Taken['kind'] | undefined) =>
		attempts.filter(({ outcome }) => outcome?.kind === kind).map(({ delivery }) => delivery.id);
	await markStored(db, idsWith('stored'));
	await markHandedOver(db, idsWith('handed_over'), now);
	await release(db, idsWith(undefined), now);
	for (const { delivery, outcome } of attempts) {
		if (outcome && !isTaken(outcome)) await recordFailedAttempt(db, delivery, outcome, now);
	}
}

async function recordFailedAttempt(
	db: Db,
	delivery: OutgoingDelivery,
	outcome: Exclude<Outcome, Taken>,
	now: number,
): Promise<void> {
	const { id, device, message } = delivery;
	const attempts = delivery.attempts + 1;
	const { kind, reason } = outcome;
	// A token the device has registered meanwhile may be valid.
	const hasReturned = kind === 'gone' && !(await markGone(db, device, outcome.since));
	if ((kind === 'retry' || hasReturned) && attempts < MAX_ATTEMPTS) {
		const asked = kind === 'retry' ? outcome.retryAfterMs : undefined;
		const wait = Math.max(backoffMs(attempts), asked ?? 0);
		await markForRetry(db, id, { attempts, nextAttemptAt: now + wait, reason });
	} else if (kind === 'no_token' && isOfActivity(message)) {
		const place = {
			activityId: message.history_id,
			deviceId: device.id,
			token: device.token ?? null,
		};
		if (await queueForNextToken(db, place, message.id)) await markSuperseded(db, id, reason);
		else await markForRetry(db, id, { attempts, nextAttemptAt: now, reason });
	} else await markFailed(db, id, reason, attempts);
	if (kind === 'gone' && !hasReturned) await failPending(db, device.id);

	if (kind === 'refused' && outcome.isStartTokenDead && device.push_to_start_token !== null)
		await forgetPushToStartToken(db, device.id, device.push_to_start_token);
}
