import type { LiveAnswer, QuietStream, RunningActivity } from '../../contract/console/resources.ts';
import { quietStreams, runningList, showing } from '../../store/activities/running.ts';
import { fromJson } from '../../store/json.ts';
import type { StreamRow } from '../../store/schema.ts';
import { shownActivity, toChannels } from '../shown/activity.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { countRows, listPage } from '../../store/list-pages.ts';

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

/** A page of the running activities, and one of the streams without any. */
export async function liveForConsole(
	context: Context,
	accountId: string,
	asked: { page: number; streams_page: number },
): Promise<LiveAnswer> {
	const { database } = context;
	const now = context.now();
	const { rows, ...found } = await listPage(database, asked.page, (db) =>
		runningList(db, accountId),
	);
	const quiet = await listPage(database, asked.streams_page, (db) => quietStreams(db, accountId));
	const activities: RunningActivity[] = [];
	for (const { tags_json: tags, ...activity } of rows) {
		activities.push({
			activity: shownActivity(activity, now),
			channels: toChannels(activity),
			tags: fromJson<string[]>(tags) ?? [],
			devices: await database.readInTurn((db) => countRows(showing(db, activity.id))),
		});
	}
	return {
		server_time: isoTime(now),
		activities,
		...found,
		streams: quiet.rows.map((stream) => ({
			stream_key: stream.stream_key,
			paused_at: isoTimeOrNull(stream.paused_at),
			updated_at: isoTime(stream.updated_at),
			remembered: remembered(stream, now),
		})),
		streams_total: quiet.total,
		streams_page: quiet.page,
	};
}
