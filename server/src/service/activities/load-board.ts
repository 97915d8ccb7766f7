import { ACTIVITY_LIFETIME_MS } from '../../durations.ts';
import {
	activitiesById,
	runningCounts,
	runningOn,
	type TaggedActivity,
} from '../../store/activities/activities.ts';
import { devicesShowing } from '../../store/activities/activity-devices.ts';
import { streamsByKey } from '../../store/activities/streams.ts';
import { fromJson } from '../../store/json.ts';
import type { Db, StreamRow } from '../../store/schema.ts';
import { isSameAudience, loadMuted, type Reached } from '../sending/audience.ts';
import type { Context, ServiceSettings } from '../context.ts';
import { loadLanes } from '../sending/lanes.ts';
import {
	loadSendingAccounts as loadSenders,
	type SendingAccount as Sender,
} from '../sending/account.ts';
import { Board, type LiveActivity } from './board.ts';
import { ACTIVITIES_PER_DEVICE } from './capacity.ts';
import { activityLane, streamLane } from './lifecycle.ts';
import { type Content, toContent } from '../shown/content.ts';
import { toChannels } from '../shown/activity.ts';

/** The stream and the activities that a request concerns, which must be loaded. */
export interface Concern {
	accountId: string;
	streamKey?: string;
	activityIds?: readonly string[];
	/** For a request that may start an activity. */
	start?: {
		/** The channels it is for; null: all devices of the account. */
		slugs: (stream: StreamRow | undefined) => readonly string[] | null;
		/** The type of activity that it asks for. */
		type?: string | undefined;
	};
}

/** A stored activity with its parsed content. */
interface Loaded extends TaggedActivity {
	content: Content;
}

/** A concern with the stored stream and activity. */
interface Found {
	concern: Concern;
	stream: StreamRow | undefined;
	activity: Loaded | undefined;
	/** For a request that may start an activity. */
	reached: Reached | undefined;
}

/** Loads what the requests of a set concern, with one statement per table. */
export async function loadBoard(
	db: Db,
	{ settings, now: clock }: Pick<Context, 'settings' | 'now'>,
	concerns: readonly Concern[],
): Promise<Board> {
	const now = clock();
	const startedAfter = now - ACTIVITY_LIFETIME_MS;
	const streams = await streamsByKey(db, namesIn(concerns));
	const rows = await loadActivities(db, [
		...new Set([
			...streams.flatMap(({ activity_id: id }) => id ?? []),
			...concerns.flatMap(({ activityIds = [] }) => activityIds),
		]),
	]);
	const found = find(concerns, streams, rows);
	const senders = await loadSenders(
		db,
		found.flatMap(({ reached }) => reached ?? []),
		now,
	);
	const starting = startingAccounts(found, { settings, now });
	const running = await runningCounts(db, [...starting], startedAfter);
	const known = new Set(rows.map(({ id }) => id));
	const evictable = await runningOn(db, evictableDevices(found, { starting, senders, running }));
	rows.push(
		...(await loadActivities(
			db,
			evictable.filter((id) => !known.has(id)),
		)),
	);
	const accounts = new Set(concerns.map(({ accountId }) => accountId));
	const activities = await withDevices(db, rows, accounts);
	const starts = found.filter(({ concern }) => starting.has(concern.accountId));
	const lanes = await loadLanes(db, devicesByLane(activities, starts, senders), now);
	return new Board({ senders, streams, activities, running, lanes }, { settings, now });
}

async function loadActivities(db: Db, ids: readonly string[]): Promise<Loaded[]> {
	const rows = await activitiesById(db, ids);
	return rows.map((row) => ({ ...row, content: toContent(row) }));
}

function namesIn(concerns: readonly Concern[]) {
	const names = new Map(
		concerns.flatMap(({ accountId: account_id, streamKey: stream_key }) =>
			stream_key === undefined
				? []
				: [[`${account_id} ${stream_key}`, { account_id, stream_key }] as const],
		),
	);
	return [...names.values()];
}

function find(
	concerns: readonly Concern[],
	streams: readonly StreamRow[],
	rows: readonly Loaded[],
): Found[] {
	const byName = new Map(streams.map((one) => [`${one.account_id} ${one.stream_key}`, one]));
	const byId = new Map(rows.map((row) => [row.id, row]));
	return concerns.map((concern) => {
		const { accountId, streamKey, start } = concern;
		const stream = streamKey === undefined ? undefined : byName.get(`${accountId} ${streamKey}`);
		return {
			concern,
			stream,
			activity: stream?.activity_id ? byId.get(stream.activity_id) : undefined,
			reached: start && { accountId, slugs: start.slugs(stream) },
		};
	});
}

/**
 * The accounts in which a request may start an activity. Only these need their running activities, of which
 * a large account has very many. An update that does not start or rotate a stream as stored may
 * still do so after another request of the set has ended its activity.
 */
function startingAccounts(
	found: readonly Found[],
	times: { settings: ServiceSettings; now: number },
): Set<string> {
	const byAccount = Map.groupBy(found, ({ concern }) => concern.accountId);
	const starting = [...byAccount].filter(([, some]) => {
		const maySend = some.filter(({ reached }) => reached);
		return (
			maySend.length > 0 &&
			(maySend.length < some.length || some.some((one) => mayStart(one, times)))
		);
	});
	return new Set(starting.map(([accountId]) => accountId));
}

function mayStart(
	{ concern, activity, reached }: Found,
	{ settings, now }: { settings: ServiceSettings; now: number },
): boolean {
	if (!reached) return false;
	if (activity?.ended_at !== null) return true;
	const type = concern.start?.type;
	return (
		now - activity.started_at > settings.rotationAgeMs ||
		(type !== undefined && type !== activity.content.state.content.type) ||
		!isSameAudience(toChannels(activity), reached.slugs)
	);
}

/** The devices of trial accounts that the starts of the set may fill: their oldest activities then end. */
function evictableDevices(
	found: readonly Found[],
	{
		starting,
		senders,
		running,
	}: {
		starting: ReadonlySet<string>;
		senders: ReadonlyMap<string, Sender>;
		running: ReadonlyMap<string, number>;
	},
): string[] {
	const trials = [...starting].filter((id) => senders.get(id)?.account.plan === 'trial');
	return trials.flatMap((id) => {
		const starts = found.filter(({ concern, reached }) => reached && concern.accountId === id);
		const devices = new Set(
			starts.flatMap(({ reached }) => reachedDevices(senders, reached)).map((device) => device.id),
		);
		return [...devices].filter(
			(device) => (running.get(device) ?? 0) + starts.length > ACTIVITIES_PER_DEVICE,
		);
	});
}

/** The devices of those of a request's channels that exist. */
function reachedDevices(senders: ReadonlyMap<string, Sender>, reached: Reached | undefined) {
	const sender = reached && senders.get(reached.accountId);
	if (!sender) return [];
	const { slugs } = reached;
	return slugs ? slugs.flatMap((slug) => sender.channels.get(slug) ?? []) : sender.devices;
}

/** Loads the devices of the accounts' activities; those of other accounts get none. */
async function withDevices(
	db: Db,
	rows: readonly Loaded[],
	accounts: ReadonlySet<string>,
): Promise<LiveActivity[]> {
	const own = rows.filter((row) => accounts.has(row.account_id));
	const devices = Map.groupBy(
		await devicesShowing(
			db,
			own.map(({ id }) => id),
		),
		({ activity_id: id }) => id,
	);
	const mutedBy = await loadMuted(
		db,
		own.map((row) => ({ accountId: row.account_id, slugs: toChannels(row) })),
	);
	return rows.map(({ tags_json: tags, content, ...row }) => ({
		row,
		content,
		tags: fromJson<string[]>(tags),
		devices: devices.get(row.id) ?? [],
		muted: mutedBy(row.account_id, toChannels(row)),
	}));
}

/** The devices on which deliveries may join lanes of activities and of streams that may start. */
function devicesByLane(
	activities: readonly LiveActivity[],
	starts: readonly Found[],
	senders: ReadonlyMap<string, Sender>,
): Map<string, Set<string>> {
	const lanes = new Map<string, Set<string>>();
	const add = (lane: string, devices: ReadonlyArray<{ id: string }>) => {
		const ids = lanes.get(lane) ?? new Set<string>();
		for (const { id } of devices) ids.add(id);
		lanes.set(lane, ids);
	};
	for (const { row, devices } of activities) add(activityLane(row), devices);
	for (const { concern, reached } of starts) {
		if (concern.streamKey !== undefined)
			add(streamLane(concern.streamKey), reachedDevices(senders, reached));
	}
	return lanes;
}
