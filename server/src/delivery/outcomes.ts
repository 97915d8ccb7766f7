import type { Database } from '../store/database.ts';
import { queueForNextTokens } from '../store/activities/activity-devices.ts';
import {
	forgetFailures,
	forgetPushToStartTokens,
	forgetSubscriptions,
	markGone,
	noteFailures,
} from '../store/phones/devices.ts';
import { isOfActivity } from '../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../store/outbox/deliveries.ts';
import {
	type Failure,
	failPending,
	markHandedOver,
	markStored,
	noteHowSent,
	reschedule,
	recordFailures,
} from '../store/outbox/outcomes.ts';
import type { Db } from '../store/schema.ts';
import {
	ACKNOWLEDGE_MS,
	isSuccess,
	type Outcome,
	SPREAD_MS,
	type Success,
	backoffMs,
	MAX_ATTEMPTS,
} from './gateway.ts';

/** One attempt; has no outcome if there was no time to make it. */
export interface Attempt {
	delivery: OutgoingDelivery;
	outcome: Outcome | undefined;
}

interface Recording {
	database: Database;
	now: () => number;
	onError: (error: unknown) => void;
}

/**
 * Records the outcomes of attempts, in one transaction for each account whose other writes they depend on: a failed
 * delivery may be superseded by a newer one, or wait for a token. The outcome of a delivery that was accepted, or not
 * attempted, depends on none of them. Deliveries whose outcome cannot be recorded stay pending in the store, and are
 * attempted again when their lease ends.
 */
export async function recordOutcomes(recording: Recording, attempts: readonly Attempt[]) {
	const { database, now, onError } = recording;
	const byScope = Map.groupBy(attempts, ({ delivery, outcome }) =>
		outcome === undefined || isSuccess(outcome) ? null : delivery.message.account_id,
	);
	const writes = [...byScope].map(([scope, batch]) =>
		database.write(scope, (db) => recordTogether(db, batch, now())).catch(onError),
	);
	await Promise.all(writes);
}

async function recordTogether(db: Db, attempts: readonly Attempt[], now: number) {
	const idsWith = (kind: Success['kind'] | undefined) =>
		attempts.filter(({ outcome }) => outcome?.kind === kind).map(({ delivery }) => delivery.id);
	await markStored(db, idsWith('stored'));
	await markHandedOver(db, idsWith('handed_over'), now);
	await noteHowSent(
		db,
		attempts.flatMap(({ delivery: { id }, outcome }) =>
			outcome && 'note' in outcome ? { id, last_error: outcome.note } : [],
		),
	);
	await reschedule(db, idsWith(undefined), now);
	await reschedule(db, idsWith('told'), now + ACKNOWLEDGE_MS, SPREAD_MS);
	const works = attempts.filter(
		({ delivery, outcome }) =>
			outcome?.kind === 'handed_over' && delivery.device.failed_at !== null,
	);
	await forgetFailures(db, { ids: works.map(({ delivery }) => delivery.device.id) });
	const failed = attempts.filter(
		(attempt): attempt is Failed => attempt.outcome !== undefined && !isSuccess(attempt.outcome),
	);
	if (failed.length > 0) await recordFailedAttempts(db, failed, now);
}

interface Failed extends Attempt {
	outcome: Exclude<Outcome, Success>;
}

const isUnsubscribed = (outcome: Failed['outcome']) =>
	outcome.kind === 'retry' && outcome.isUnsubscribed === true;

async function recordFailedAttempts(db: Db, failed: readonly Failed[], now: number) {
	const gone = await markGone(
		db,
		failed.flatMap(({ delivery: { device }, outcome }) =>
			outcome.kind === 'gone' ? { ...device, push_registered_at: outcome.since ?? null } : [],
		),
	);
	await forgetSubscriptions(
		db,
		failed.flatMap(({ delivery: { device }, outcome }) =>
			isUnsubscribed(outcome) ? { ...device, failed_at: now } : [],
		),
	);
	const queued = await queueForNextTokens(
		db,
		failed
			.filter(
				({ delivery, outcome }) => outcome.kind === 'no_token' && isOfActivity(delivery.message),
			)
			.map(({ delivery: { device, message } }) => ({
				activity_id: message.history_id,
				device_id: device.id,
				token: device.token ?? null,
				queued_message_id: message.id,
			})),
	);
	const recorded = failed.map((attempt) => ({
		device: attempt.delivery.device,
		isNoted: isUnsubscribed(attempt.outcome),
		failure: toFailure(attempt, { gone, queued, now }),
	}));
	const failures = recorded.map(({ failure }) => failure);
	await recordFailures(db, failures);
	// A push service that fails everything changes each phone once.
	const isNews = ({
		device: { failed_at: earlier },
		isNoted,
		failure: { state },
	}: (typeof recorded)[number]) =>
		!isNoted && (state === 'failed' || (state === 'pending' && earlier === null));
	await noteFailures(
		db,
		recorded.filter(isNews).map(({ device: { id }, failure: { last_error: failure } }) => ({
			id,
			failure,
			failed_at: now,
		})),
	);
	await failPending(db, { deviceIds: [...gone] });
	await forgetPushToStartTokens(
		db,
		failed.flatMap(({ delivery: { device }, outcome }) =>
			outcome.kind === 'refused' && outcome.isStartTokenDead ? device : [],
		),
	);
}

/** @param gone the devices disconnected; @param queued those whose activity waits for a token, as `activity device` */
function toFailure(
	{ delivery: { id, attempts: before, device, message }, outcome }: Failed,
	{ gone, queued, now }: { gone: ReadonlySet<string>; queued: ReadonlySet<string>; now: number },
): Failure {
	const { kind, reason: last_error } = outcome;
	const attempts = before + 1;
	const failures = `${now} ${last_error.replaceAll('\n', ' ')}`;
	const failure = { id, attempts, next_attempt_at: now, last_error, failures };
	if (kind === 'no_token' && isOfActivity(message)) {
		// Not queued: the device has registered a new token meanwhile, so try again.
		const isQueued = queued.has(`${message.history_id} ${device.id}`);
		return isQueued
			? { ...failure, attempts: before, state: 'superseded' }
			: { ...failure, state: 'pending' };
	}
	// If the device has registered a new token meanwhile, that one may be valid.
	const mayPass = kind === 'retry' || (kind === 'gone' && !gone.has(device.id));
	if (!mayPass || attempts >= MAX_ATTEMPTS) return { ...failure, state: 'failed' };
	const requested = kind === 'retry' ? outcome.retryAfterMs : undefined;
	const wait = isUnsubscribed(outcome) ? 0 : Math.max(backoffMs(attempts), requested ?? 0);
	return { ...failure, state: 'pending', next_attempt_at: now + wait };
}
