import type { LiveAnswer, QuietStream } from '../../contract/console/resources.ts';
import { quietStreams, runningActivities } from '../../store/activities/running.ts';
import type { StreamRow } from '../../store/schema.ts';
import { shownActivity, toChannels } from '../shown/activity.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';

/** The stream's stored state as a phone would show it. */
function remembered(stream: StreamRow, now: number): QuietStream['remembered'] {
	const { state_json: state } = stream;
	if (state === null) return null;
	return shownActivity(
		{
			id: `stream:${stream.stream_key}`,
			account_id: stream.account_id,
			stream_key: stream.stream_key,
			state_json: state,
			actions_json: stream.actions_json ?? '{}',
			channels_json: stream.channels_json,
			started_at: stream.updated_at,
			updated_at: stream.updated_at,
			ended_at: null,
			end_reason: null,
			dismiss_at: null,
		},
		now,
	);
}

/** All running activities, and the streams without one. */
export async function liveForConsole(context: Context, accountId: string): Promise<LiveAnswer> {
	const db = context.database.read;
	const now = context.now();
	const [activities, streams] = await Promise.all([
		runningActivities(db, accountId),
		quietStreams(db, accountId),
	]);
	return {
		server_time: isoTime(now),
		activities: activities.map(({ tags, devices, ...activity }) => ({
			activity: shownActivity(activity, now),
			channels: toChannels(activity),
			tags,
			devices,
		})),
		streams: streams.map((stream) => ({
			stream_key: stream.stream_key,
			paused_at: isoTimeOrNull(stream.paused_at),
			updated_at: isoTime(stream.updated_at),
			remembered: remembered(stream, now),
		})),
	};
}
