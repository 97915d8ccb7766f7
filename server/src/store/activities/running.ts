import type { Db } from '../schema.ts';

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

/** Streams without a visible activity: paused, or their activity was ended by id. */
export function quietStreams(db: Db, accountId: string) {
	return db
		.selectFrom('streams')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('activity_id', 'is', null)
		.orderBy('stream_key');
}
