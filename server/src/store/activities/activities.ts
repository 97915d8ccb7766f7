import { sql } from 'kysely';
import { ACTIVITY_LIFETIME_MS } from '../../durations.ts';
import { dueRows } from '../due.ts';
import { isAmong, isPostgres, statement } from '../engine/statement.ts';
import { findBy } from '../engine/by-key.ts';
import {
	deleteStatement,
	insertStatement,
	rowsStatement,
	selectStatement,
	updateStatement,
} from '../engine/json-rows.ts';
import { listPart, type Part } from '../list-pages.ts';
import { columnsOf, type Db, type StreamRow } from '../schema.ts';

const COLUMNS = columnsOf('activities');

/** Stores new activities. Their history entries must be stored before. */
export const insertActivities = insertStatement('activities', COLUMNS);

const CONTENT = ['state_json', 'actions_json', 'updated_at'] as const;

/** Stores the content of running activities. */
export const updateActivities = updateStatement('activities', ['id'], CONTENT);

const AT_END = [...CONTENT, 'ended_at', 'end_reason', 'dismiss_at'] as const;

/** Stores the content and the end of activities; separate, as the end is indexed. */
export const endActivities = updateStatement('activities', ['id'], AT_END);

/** Activities with the tags of their history entries. */
export const activitiesById = statement((db: Db, params: { ids: readonly string[] }) =>
	db
		.selectFrom('activities')
		.innerJoin('history', 'history.id', 'activities.id')
		.select(COLUMNS.map((column) => `activities.${column}` as const))
		.select(['history.tags_json', 'history.api_key_id'])
		.where(isAmong(db, 'activities.id', params.ids)),
);

export async function activityById(db: Db, id: string) {
	return (await activitiesById(db, { ids: [id] }))[0];
}

/** The number of running activities on each device of the accounts with at least one. */
export async function runningCounts(db: Db, accountIds: readonly string[], startedAfter: number) {
	const rows = await countRunning(db, { accountIds, startedAfter });
	return new Map(rows.map((row) => [row.device_id, row.count]));
}

const countRunning = statement(
	(db: Db, params: { accountIds: readonly string[]; startedAfter: number }) =>
		db
			.selectFrom('activities')
			.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
			.where(isAmong(db, 'activities.account_id', params.accountIds))
			.where('activities.ended_at', 'is', null)
			.where('activities.started_at', '>', params.startedAfter)
			.where('activity_devices.dismissed_at', 'is', null)
			.groupBy('activity_devices.device_id')
			.select(({ fn }) => ['activity_devices.device_id', fn.countAll<number>().as('count')]),
);

/** The ids of activities that have not ended and that any of the devices still shows. */
export async function runningOn(db: Db, deviceIds: readonly string[]) {
	const devices = deviceIds.map((id) => ({ device_id: id }));
	const rows = await selectRunningOn(db, devices);
	return rows.map(({ id }) => id);
}

const selectRunningOn = rowsStatement(
	'activity_devices',
	['device_id'],
	(_db, rows) => sql<{ id: string }>`
		select distinct activities.id
		from (${rows}) as asked
		cross join activity_devices
		cross join activities
		where activity_devices.device_id = asked.device_id
			and activity_devices.dismissed_at is null
			and activities.id = activity_devices.activity_id
			and activities.ended_at is null`,
);

/** The activities on the device's lock screen, as they started: running, or ended and not yet removed. */
export function activitiesOnScreen(db: Db, deviceId: string, now: number) {
	return (
		db
			.selectFrom('activities')
			.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
			.selectAll('activities')
			.where('activity_devices.device_id', '=', deviceId)
			.where('activity_devices.dismissed_at', 'is', null)
			.where((eb) =>
				eb.or([eb('activities.ended_at', 'is', null), eb('activities.dismiss_at', '>', now)]),
			)
			.orderBy('activities.started_at')
			// Those started in the same millisecond keep their order across updates.
			.orderBy('activities.id')
			.execute()
	);
}

/** Activities that still count as running although iOS has ended them. */
export const dueActivityExpiries = dueRows('activities', {
	key: ['id'],
	at: 'started_at',
	after: ACTIVITY_LIFETIME_MS,
	where: sql`ended_at is null`,
});

/** The account's running activities, newest first, with their tags. */
export function runningList(db: Db, accountId: string) {
	return db
		.selectFrom('activities')
		.innerJoin('history', 'history.id', 'activities.id')
		.selectAll('activities')
		.select('history.tags_json')
		.where('activities.account_id', '=', accountId)
		.where('activities.ended_at', 'is', null)
		.orderBy('activities.started_at', 'desc')
		.orderBy('activities.id', 'desc');
}

/** The paired devices that were sent the activity and have not dismissed it. */
export function showing(db: Db, activityId: string) {
	return db
		.selectFrom('activity_devices')
		.innerJoin('devices', 'devices.id', 'activity_devices.device_id')
		.where('activity_devices.activity_id', '=', activityId)
		.where('activity_devices.dismissed_at', 'is', null)
		.where('devices.status', '=', 'active');
}

export type StreamName = Pick<StreamRow, 'account_id' | 'stream_key'>;

const STREAM_KEY = ['account_id', 'stream_key'] as const;
const STREAM_COLUMNS = columnsOf('streams');

/** The existing streams with these keys, of several accounts. */
export const streamsByKey = selectStatement('streams', STREAM_KEY, STREAM_COLUMNS);

export const streamByKey = findBy('streams', ...STREAM_KEY);

/** Stores streams, replacing those with the same keys. */
export const saveStreams = insertStatement('streams', STREAM_COLUMNS, {
	replace: { key: STREAM_KEY },
});

export const deleteStreams = deleteStatement('streams', STREAM_KEY);

/** Detaches ended activities from their streams. */
export const detachActivities = statement((db: Db, params: { activityIds: readonly string[] }) =>
	db
		.updateTable('streams')
		.set({ activity_id: null })
		.where(isAmong(db, 'activity_id', params.activityIds)),
);

/** Streams without a visible activity: paused, or their activity was ended by id. */
export function idleStreams(db: Db, accountId: string) {
	return db
		.selectFrom('streams')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('activity_id', 'is', null)
		.orderBy('stream_key');
}

/** The streams with their shown or stored state. @param slugs null: those of any channels */
export function streamsPart(db: Db, part: Part, slugs: readonly string[] | null) {
	const isRunning = sql<number>`
		case when activities.id is not null and activities.ended_at is null then 1 else 0 end`;
	let query = db
		.selectFrom('streams')
		.leftJoin('activities', 'activities.id', 'streams.activity_id')
		.select(['streams.stream_key', 'streams.paused_at', isRunning.as('is_running')])
		.select(({ fn }) => fn.coalesce('activities.state_json', 'streams.state_json').as('state_json'))
		.where('streams.account_id', '=', part.accountId);
	if (slugs) {
		query = query
			.where('streams.channels_json', 'is not', null)
			.where(({ not, exists }) => not(exists(channelsBeyond(db, slugs))));
	}
	return listPart(query, 'streams.stream_key', part);
}

/** Selects the channels of a stream that are not among these. */
function channelsBeyond(db: Db, slugs: readonly string[]) {
	const named = isPostgres(db)
		? sql`json_array_elements_text(streams.channels_json::json) as named(value)`
		: sql`json_each(streams.channels_json) as named`;
	return sql`(select 1 from ${named} where not ${isAmong(db, 'named.value', slugs)})`;
}
