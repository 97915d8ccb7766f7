const timestamp = '2026-01-31T09:30:00.000Z';
const activity = { success: true, activity_id: '0123456789abcdefghijklmnopqrstuv' };
const counts = { devices_notified: 1, users_notified: 1, effective_channel_slugs: null };

/** Beckon's answers to the benchmark's requests, for contestants that answer without doing anything. */
export const ANSWERS: Readonly<Record<string, object>> = {
	'POST /push-notification': { success: true, ...counts, timestamp },
	'POST /badge': {
		success: true,
		badge: 7,
		devices_updated: 1,
		users_updated: 1,
		...counts,
		timestamp,
	},
	'POST /metrics/{key}/value': { success: true },
	'POST /live-activity/start': { ...activity, ...counts, timestamp },
	'POST /live-activity/update': { ...activity, devices_queued: 0, devices_notified: 1, timestamp },
	'POST /live-activity/end': { ...activity, devices_queued: 0, devices_notified: 1, timestamp },
	'PUT /live-activity/stream/{stream_key}': {
		...activity,
		operation: 'updated',
		stream_key: 'bench-1-1',
		devices_queued: 0,
		...counts,
		timestamp,
	},
	'DELETE /live-activity/stream/{stream_key}': {
		...activity,
		operation: 'ended',
		stream_key: 'bench-1-1',
		devices_queued: 0,
		devices_notified: 1,
		timestamp,
	},
};
