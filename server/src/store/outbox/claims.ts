import { isPostgres, PENDING } from '../engine/statement.ts';
import { DELIVERY_COLUMNS } from '../phones/device-audience.ts';
import { MESSAGE_COLUMNS } from './messages.ts';
import { HELD } from './deliveries.ts';
import type { Db } from '../schema.ts';

/** Pending deliveries that no earlier one of their device and lane blocks. */
function heads(db: Db) {
	return db
		.selectFrom('deliveries')
		.where('deliveries.state', '=', PENDING)
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom('deliveries as earlier')
						.select('earlier.id')
						.whereRef('earlier.device_id', '=', 'deliveries.device_id')
						.whereRef('earlier.lane', '=', 'deliveries.lane')
						.whereRef('earlier.id', '<', 'deliveries.id')
						.where('earlier.state', '=', PENDING),
				),
			),
		);
}

/**
 * Leases up to `limit` due deliveries to the caller, the longest overdue first, but none of the accounts `except`.
 * Returns them oldest first. Two workers never get the same one: the update checks the lease again, under the lock of
 * the row or the file.
 */
export async function claimDue(
	db: Db,
	claim: { now: number; leaseMs: number; limit: number; except: readonly string[] },
) {
	const { now, leaseMs, limit, except } = claim;
	const leasedUntil = now + leaseMs;
	const claimed = await db
		.updateTable('deliveries')
		.set({ leased_until: leasedUntil, next_attempt_at: leasedUntil })
		.where(
			'id',
			'in',
			heads(db)
				.select('deliveries.id')
				.where('deliveries.next_attempt_at', '<=', now)
				.$if(except.length > 0, (query) =>
					query.where(
						({ selectFrom }) =>
							selectFrom('messages')
								.select('account_id')
								.whereRef('messages.id', '=', 'deliveries.message_id'),
						'not in',
						except,
					),
				)
				// In the order of the index of pending deliveries: ordered by id, SQLite would scan all deliveries.
				.orderBy('deliveries.next_attempt_at')
				.orderBy('deliveries.id')
				.limit(limit)
				// Skips deliveries that another process is claiming.
				.$if(isPostgres(db), (query) => query.forUpdate().skipLocked()),
		)
		.where('state', '=', PENDING)
		.where('next_attempt_at', '<=', now)
		.returning('id')
		.execute();
	if (claimed.length === 0) return [];
	const ids = claimed.map(({ id }) => id);
	const rows = await db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.leftJoin('activity_devices', (join) =>
			join
				.onRef('activity_devices.activity_id', '=', 'messages.history_id')
				.onRef('activity_devices.device_id', '=', 'deliveries.device_id'),
		)
		.select(MESSAGE_COLUMNS)
		.select(['deliveries.id as delivery_id', 'deliveries.attempts', 'deliveries.muted'])
		.select(['deliveries.held', 'deliveries.push_delivery_id'])
		.select(['devices.id as device_id', ...DELIVERY_COLUMNS, 'activity_devices.token'])
		.where('deliveries.id', 'in', ids)
		// Expired ones are left out. Their lease keeps them from being claimed again until pushExpiry has recorded it.
		.where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
		.orderBy('deliveries.id')
		.execute();
	return rows.map(
		({ delivery_id: id, device_id, attempts, muted, held, push_delivery_id, ...columns }) => ({
			id,
			attempts,
			leasedUntil,
			// Each has the columns of both.
			message: columns,
			device: { ...columns, id: device_id },
			isMuted: muted === 1,
			isHeld: held !== HELD.no,
			...(push_delivery_id !== null && { pushDeliveryId: push_delivery_id }),
		}),
	);
}

/** The time at which the next delivery is due or a lease ends; undefined when nothing is pending. */
export async function nextDueAt(db: Db) {
	const row = await heads(db)
		.select('deliveries.next_attempt_at')
		.orderBy('deliveries.next_attempt_at')
		.limit(1)
		.executeTakeFirst();
	return row?.next_attempt_at;
}

/**
 * Measures the outbox. Reads the index of pending deliveries, however long the history is.
 * @returns with the time the oldest was accepted, in milliseconds since 1970; undefined: none is pending
 */
export async function measureBacklog(db: Db) {
	// Counted together with the minimum, which alone would scan all deliveries by id.
	const { pending, oldest } = await db
		.selectFrom('deliveries')
		.where('state', '=', PENDING)
		.select(({ fn }) => [
			fn.countAll<number>().as('pending'),
			fn.min<number | null>('id').as('oldest'),
		])
		.executeTakeFirstOrThrow();
	const message =
		oldest === null
			? undefined
			: await db
					.selectFrom('deliveries')
					.innerJoin('messages', 'messages.id', 'deliveries.message_id')
					.where('deliveries.id', '=', oldest)
					.select('messages.created_at')
					.executeTakeFirst();
	return { pending, oldestAt: message?.created_at };
}

/**
 * Measures the updates and ends of Live Activities that wait for the activity's token. Reads the index of
 * queued messages.
 * @param since leaves out earlier ones: iOS has ended their activities, and no token will arrive
 */
export async function measureTokenBacklog(db: Db, since: number) {
	const { pending, oldest } = await db
		.selectFrom('activity_devices')
		.innerJoin('messages', 'messages.id', 'activity_devices.queued_message_id')
		.where('activity_devices.queued_message_id', 'is not', null)
		.where('messages.created_at', '>=', since)
		.select(({ fn }) => [
			fn.countAll<number>().as('pending'),
			fn.min<number | null>('messages.created_at').as('oldest'),
		])
		.executeTakeFirstOrThrow();
	return { pending, oldestAt: oldest ?? undefined };
}
