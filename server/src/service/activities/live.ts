import type { LivePage, IdleStream, RunningActivity } from '../../contract/console/resources.ts';
import { devicesShowing, takeFromDevice } from '../../store/activities/activity-devices.ts';
import { idleStreams, runningList, showing } from '../../store/activities/activities.ts';
import { type Db, fromJson, type StreamRow } from '../../store/schema.ts';
import { devicesIn, loadReach, loadStillReached, NOBODY } from '../sending/audience.ts';
import { shownActivity, toChannels, toContent } from '../shown/content.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { countRows, listPage } from '../../store/list-pages.ts';

/** The stream's stored state as a phone would show it. */
function remembered(stream: StreamRow, now: number): IdleStream['remembered'] {
	const content = toContent(stream);
	if (!content) return null;
	const { stream_key, updated_at } = stream;
	const id = `stream:${stream_key}`;
	const started = { id, stream_key, started_at: updated_at, updated_at, dismiss_at: null };
	return shownActivity(started, now, content);
}

/** The number of phones that the stream's next activity reaches. */
async function countReached({ database }: Context, stream: StreamRow): Promise<number> {
	const { account_id: accountId } = stream;
	const slugs = toChannels(stream);
	const reach = await database.readInTurn((db) => loadReach(db, [{ accountId, slugs }]));
	const reached = devicesIn(reach.get(accountId) ?? NOBODY, slugs);
	return new Set(reached.map(({ id }) => id)).size;
}

/** A page of the running activities, and one of the streams without any. */
export async function liveForConsole(
	context: Context,
	accountId: string,
	pages: { page: number; streams_page: number },
): Promise<LivePage> {
	const { database } = context;
	const now = context.now();
	const { rows, ...found } = await listPage(database, pages.page, (db) =>
		runningList(db, accountId),
	);
	const quiet = await listPage(database, pages.streams_page, (db) => idleStreams(db, accountId));
	const { total: streams_total, page: streams_page } = quiet;
	const activities: RunningActivity[] = [];
	for (const { tags_json: tags, ...activity } of rows)
		activities.push({
			activity: shownActivity(activity, now, toContent(activity)),
			channels: toChannels(activity),
			tags: fromJson<string[]>(tags) ?? [],
			devices: await database.readInTurn((db) => countRows(showing(db, activity.id))),
		});
	const streams: IdleStream[] = [];
	for (const stream of quiet.rows)
		streams.push({
			stream_key: stream.stream_key,
			paused_at: isoTimeOrNull(stream.paused_at),
			updated_at: isoTime(stream.updated_at),
			remembered: remembered(stream, now),
			devices: stream.state_json === null ? 0 : await countReached(context, stream),
		});
	return { server_time: isoTime(now), activities, ...found, streams, streams_total, streams_page };
}

/**
 * Removes the account's running Live Activities from the phones that have left their channels. A stream's activity stays
 * until the next update rotates it.
 * @returns the ids of these phones
 */
export async function takeOffLeftPhones(db: Db, accountId: string): Promise<string[]> {
	const running = await runningList(db, accountId)
		.where('activities.stream_key', 'is', null)
		.execute();
	const channels = new Map(running.map((activity) => [activity.id, toChannels(activity)]));
	const showing = await devicesShowing(db, { activityIds: [...channels.keys()] });
	const ids = showing.map(({ id }) => id);
	const isReached = await loadStillReached(db, ids);
	const left = showing.filter(
		({ id, activity_id: activity }) => !isReached(id, channels.get(activity) ?? null),
	);
	for (const { id, activity_id: activity } of left) await takeFromDevice(db, activity, id);
	return left.map(({ id }) => id);
}
