import { sql, type SqlBool, type UpdateObject } from 'kysely';
import { type DeliveryState, STATES_BEFORE } from '../../contract/delivery-states.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { PENDING } from '../engine/dialect.ts';
import type { Db, DeliveryRow, Tables } from '../schema.ts';
import { heldColumn, type OutgoingDelivery } from './outbox.ts';

type Fields = UpdateObject<Tables, 'deliveries', 'deliveries'>;

/** Moves deliveries to a state, if their current one allows it, and ends their lease. */
function moveTo(db: Db, state: DeliveryState, fields: Fields = {}) {
	return db
		.updateTable('deliveries')
		.set({ ...fields, state, leased_until: null })
		.where(mayBecome(state));
}

/** In the text of the query and with `=`, so SQLite sees that an index of pending deliveries suffices. */
function mayBecome(state: DeliveryState) {
	const before = STATES_BEFORE[state].map((one) => sql`state = ${sql.lit(one)}`);
	return sql<SqlBool>`(${sql.join(before, sql` or `)})`;
}

/** Moves many deliveries to a state, with one statement. @param toFields gets the current time for the statement */
function moveAllTo(state: DeliveryState, toFields: (now: number) => Fields = () => ({})) {
	const move = statement<{ ids: readonly number[]; now: number }, object>((db, params) =>
		moveTo(db, state, toFields(params.now)).where(isAmong(db, 'id', params.ids, 'bigint')),
	);
	return async (db: Db, ids: readonly number[], now = 0): Promise<void> => {
		await move(db, { ids, now });
	};
}

export const markStored = moveAllTo('stored', () => ({ last_error: null }));

/** @param now the time that is recorded */
export const markHandedOver: (db: Db, ids: readonly number[], now: number) => Promise<void> =
	moveAllTo('handed_over', (now) => ({ handed_over_at: now, last_error: null }));

/** Newer deliveries replace these. */
export const supersedeAll = moveAllTo('superseded');

export async function markForRetry(
	db: Db,
	id: number,
	retry: { attempts: number; nextAttemptAt: number; reason: string },
): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({
			attempts: retry.attempts,
			next_attempt_at: retry.nextAttemptAt,
			last_error: retry.reason,
			leased_until: null,
		})
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
	await supersedeReplaced(db, id);
}

/** Supersedes a delivery if a newer message was stored during its attempt. */
async function supersedeReplaced(db: Db, id: number): Promise<void> {
	await moveTo(db, 'superseded')
		.where('id', '=', id)
		.where('replaceable', '=', 1)
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('deliveries as newer')
					.select('newer.id')
					.whereRef('newer.device_id', '=', 'deliveries.device_id')
					.whereRef('newer.lane', '=', 'deliveries.lane')
					.whereRef('newer.message_id', '>', 'deliveries.message_id')
					.where('newer.state', '=', PENDING),
			),
		)
		.execute();
}

/** Releases leased deliveries that have not been attempted. */
export async function release(db: Db, ids: readonly number[], now: number): Promise<void> {
	if (ids.length === 0) return;
	await db
		.updateTable('deliveries')
		.set({ next_attempt_at: now, leased_until: null })
		.where(isAmong(db, 'id', ids, 'bigint'))
		.where('state', '=', PENDING)
		.execute();
}

/** The message reaches the device in a later delivery. */
export async function markSuperseded(db: Db, id: number, reason: string): Promise<void> {
	await moveTo(db, 'superseded', { last_error: reason }).where('id', '=', id).execute();
}

/** @param attempts failed attempts, the last one included; undefined: as many as are stored */
export async function markFailed(
	db: Db,
	id: number,
	reason: string,
	attempts?: number,
): Promise<void> {
	const fields = { last_error: reason, ...(attempts !== undefined && { attempts }) };
	await moveTo(db, 'failed', fields).where('id', '=', id).execute();
}

/** Stores that deliveries, leased for an attempt, are held back. */
export async function markHeld(db: Db, held: readonly OutgoingDelivery[]): Promise<void> {
	for (const [value, some] of Map.groupBy(held, heldColumn)) {
		const ids = some.map(({ id }) => id);
		await db.updateTable('deliveries').set({ held: value }).where('id', 'in', ids).execute();
	}
}

/** Fails the pending deliveries of a disconnected device, which nothing reaches any more. */
export async function failPending(db: Db, deviceId: string): Promise<void> {
	await moveTo(db, 'failed', { last_error: 'The phone was disconnected' })
		.where('device_id', '=', deviceId)
		.execute();
}

export type DeliveryOutcome = Pick<DeliveryRow, 'state' | 'last_error'>;

/** The delivery's current state. */
export function deliveryById(db: Db, id: number): Promise<DeliveryOutcome> {
	return db
		.selectFrom('deliveries')
		.select(['state', 'last_error'])
		.where('id', '=', id)
		.executeTakeFirstOrThrow();
}
