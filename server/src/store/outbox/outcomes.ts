import { sql, type SqlBool, type UpdateObject } from 'kysely';
import { STATES_BEFORE, type StoredState } from '../../contract/delivery-states.ts';
import { rowsStatement, updateStatement } from '../engine/json-rows.ts';
import { isAmong, isPostgres, PENDING, statement } from '../engine/statement.ts';
import type { Db, DeliveryRow, Tables } from '../schema.ts';
import { heldColumn, type OutgoingDelivery } from './deliveries.ts';

type Fields = UpdateObject<Tables, 'deliveries', 'deliveries'>;

/** Moves deliveries to a state, if their current one allows it, and ends their lease. */
function moveTo(db: Db, state: StoredState, fields: Fields = {}) {
	return db
		.updateTable('deliveries')
		.set({ ...fields, state, leased_until: null })
		.where(isOneOf(STATES_BEFORE[state]));
}

/**
 * The deliveries are found by their ids. The appended '' keeps PostgreSQL from using the index of pending deliveries:
 * while its statistics say that none are pending, it would read that whole index for each id.
 */
function isOneOf(states: readonly StoredState[], column = 'state') {
	return sql<SqlBool>`${sql.ref(column)} || '' in (${sql.join(states.map((state) => sql.lit(state)))})`;
}

/** Moves many deliveries to a state, with one statement. @param toFields gets the current time for the statement */
function moveAllTo(state: StoredState, toFields: (now: number) => Fields = () => ({})) {
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

/** Stores a note for the history on deliveries that were accepted. */
export const noteHowSent = updateStatement('deliveries', ['id'], ['last_error']);

/** Newer deliveries replace these. */
export const supersedeAll = moveAllTo('superseded');

/** The state of a delivery after a failed attempt: `pending` is tried again when it is due. */
export type Failure = Pick<DeliveryRow, 'id' | 'attempts' | 'next_attempt_at'> & {
	state: 'pending' | 'failed' | 'superseded';
	last_error: string;
	/** The line of this attempt: its time in milliseconds since 1970, and the reason. */
	failures: string;
};

/** The failed attempts of a delivery, oldest first. */
export function toFailures(lines: string | null): Array<{ at: string; reason: string }> {
	return (lines ?? '')
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => line.split(/ (.*)/))
		.map(([at, reason = '']) => ({ at: new Date(Number(at)).toISOString(), reason }));
}

/** A push that was replaced, cleared or dismissed during its attempt is not tried again: it would come back. */
const storeFailures = rowsStatement(
	'deliveries',
	['id', 'state', 'attempts', 'next_attempt_at', 'last_error', 'failures'],
	(_db, rows) => sql`
		update deliveries
		set state = case
				when failure.state = 'pending' and deliveries.dismissed_at is not null
					and (deliveries.lane is null or deliveries.lane like 'question:%') then 'superseded'
				else failure.state
			end,
			attempts = failure.attempts, next_attempt_at = failure.next_attempt_at,
			last_error = failure.last_error, leased_until = null,
			failures = coalesce(deliveries.failures || ${'\n'}, '') || failure.failures
		from (${rows}) as failure
		where deliveries.id = failure.id and ${isOneOf(['pending'], 'deliveries.state')}`,
);

/**
 * Supersedes deliveries for which a newer message was stored during their attempt. They are the heads of their
 * lanes, so one lookup for each suffices. On PostgreSQL it goes by the phone, because otherwise the planner might read
 * the whole index of pending deliveries.
 */
const supersedeReplaced = statement<{ ids: readonly number[] }, object>((db, params) =>
	moveTo(db, 'superseded')
		.where(isAmong(db, 'id', params.ids, 'bigint'))
		.where('replaceable', '=', 1)
		.where(
			({ selectFrom }) =>
				selectFrom('deliveries as newer')
					.select('newer.id')
					.whereRef('newer.device_id', '=', 'deliveries.device_id')
					.whereRef('newer.lane', '=', 'deliveries.lane')
					.whereRef('newer.message_id', '>', 'deliveries.message_id')
					.whereRef('newer.id', '>', 'deliveries.id')
					.$if(isPostgres(db), (query) => query.where(isOneOf(['pending'], 'newer.state')))
					.$if(!isPostgres(db), (query) => query.where('newer.state', '=', PENDING))
					.limit(1),
			'is not',
			null,
		),
);

/** Records failed attempts. One to be tried again is superseded if a newer message was stored meanwhile. */
export async function recordFailures(db: Db, failures: readonly Failure[]) {
	await storeFailures(db, failures);
	const ids = failures.filter(({ state }) => state === 'pending').map(({ id }) => id);
	await supersedeReplaced(db, { ids });
}

/**
 * Ends the leases of pending deliveries, and sets when they are due.
 * @param spreadMs spreads them over so many milliseconds, by their ids
 */
export async function reschedule(db: Db, ids: readonly number[], until: number, spreadMs = 1) {
	if (ids.length === 0) return;
	await db
		.updateTable('deliveries')
		.set({ next_attempt_at: sql`${until} + id % ${spreadMs}`, leased_until: null })
		.where(isAmong(db, 'id', ids, 'bigint'))
		.where(isOneOf(['pending']))
		.execute();
}

/**
 * Expires the deliveries of messages that have not arrived, and removes them from the phones. Excludes what Apple has
 * accepted: it drops that by itself, and an iPhone acknowledges what it has shown only when its app is opened.
 */
export const expireDeliveriesOf = statement<{ messageIds: readonly number[]; now: number }, object>(
	(db, params) =>
		moveTo(db, 'expired', { dismissed_at: params.now, last_error: null })
			.where(isAmong(db, 'message_id', params.messageIds, 'bigint'))
			.where(({ eb, exists, or, selectFrom }) =>
				or([
					eb('state', '!=', 'handed_over'),
					exists(
						selectFrom('devices')
							.select('devices.id')
							.whereRef('devices.id', '=', 'deliveries.device_id')
							.where('platform', '=', 'web'),
					),
				]),
			),
);

export async function markFailed(db: Db, id: number, reason: string) {
	await moveTo(db, 'failed', { last_error: reason }).where('id', '=', id).execute();
}

/** Stores that deliveries, leased for an attempt, are held back. */
export async function markHeld(db: Db, held: readonly OutgoingDelivery[]) {
	for (const [value, deliveries] of Map.groupBy(held, heldColumn)) {
		const ids = deliveries.map(({ id }) => id);
		await db.updateTable('deliveries').set({ held: value }).where('id', 'in', ids).execute();
	}
}

/** Fails the pending deliveries of disconnected devices, which nothing reaches anymore. */
export const failPending = statement<{ deviceIds: readonly string[] }, object>((db, params) =>
	db
		.updateTable('deliveries')
		.set({ state: 'failed', last_error: 'The phone was disconnected', leased_until: null })
		.where('state', '=', PENDING)
		.where(isAmong(db, 'device_id', params.deviceIds)),
);

export type DeliveryOutcome = Pick<DeliveryRow, 'state' | 'last_error'>;

/** The delivery's current state. */
export function deliveryById(db: Db, id: number) {
	return db
		.selectFrom('deliveries')
		.select(['state', 'last_error'])
		.where('id', '=', id)
		.executeTakeFirstOrThrow();
}
