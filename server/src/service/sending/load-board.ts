import { isPhoneSlug } from '../../contract/values.ts';
import { ACTIVITY_LIFETIME_MS } from '../../durations.ts';
import {
	activitiesById,
	runningCounts,
	runningOn,
	type TaggedActivity,
} from '../../store/activities/activities.ts';
import { devicesShowing } from '../../store/activities/activity-devices.ts';
import { streamsByKey } from '../../store/activities/streams.ts';
import { keptAnswers } from '../../store/history/kept-answers.ts';
import { fromJson } from '../../store/json.ts';
import type { Db, StreamRow } from '../../store/schema.ts';
import { type Content, toContent } from '../shown/content.ts';
import { toChannels } from '../shown/activity.ts';
import type { Context } from '../context.ts';
import { loadAsking } from '../questions/asking.ts';
import { isSameAudience, loadMuted, type Reached } from './audience.ts';
import { ACTIVITIES_PER_DEVICE, Board, type LiveActivity } from './board.ts';
import { activityLane, loadLanes, streamLane } from './delivery-lanes.ts';
import { loadSendingAccounts, type SendingAccount } from './account.ts';

/** The data to load for a request. */
export interface Concern {
	accountId: string;
	/**
	 * The channels whose devices it may reach; null: every device of the account; `stored`: the stream's channels.
	 * Absent: it reaches only devices that show its activities.
	 */
	slugs?: readonly string[] | null | 'stored';
	/** The channels of a restricted key: whether it may change what reaches a single phone depends on them. */
	scope?: readonly string[] | null;
	/** The lane that its deliveries join, unless it is an activity's. */
	lane?: string;
	streamKey?: string;
	activityIds?: readonly string[];
	/** For a question: the names of those who may answer, and whom it reaches later. */
	question?: { names: readonly string[]; further: Reached | undefined };
	/** Hash of its idempotency key. */
	keyHash?: string;
	/** For a request that may start an activity: the type that it asks for. */
	start?: { type?: string | undefined };
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
	reached: Reached | undefined;
	/** The phones named by what is stored, if the key's channels decide whether it may be changed. */
	checked: Reached | undefined;
}

/** Loads the data that the requests of a set need, with one statement per table. */
export async function loadBoard(
	db: Db,
	context: Pick<Context, 'settings' | 'now' | 'isClockShared'>,
	concerns: readonly Concern[],
): Promise<Board> {
	const { settings } = context;
	const now = context.now();
	const keys = concerns.flatMap(({ accountId: account_id, streamKey: stream_key }) =>
		stream_key === undefined ? [] : { account_id, stream_key },
	);
	const streams = await streamsByKey(db, keys);
	const ofStreams = streams.flatMap(({ activity_id: id }) => id ?? []);
	const named = concerns.flatMap(({ activityIds = [] }) => activityIds);
	const rows = await loadActivities(db, new Set([...ofStreams, ...named]));
	const found = find(concerns, streams, rows);
	const reached = found.flatMap((one) =>
		[one.reached ?? [], one.checked ?? [], one.concern.question?.further ?? []].flat(),
	);
	const senders = await loadSendingAccounts(db, reached, now);
	const starts = findStarts(found, now - settings.rotationAgeMs);
	const starting = new Set(starts.map(({ concern }) => concern.accountId));
	const running = await runningCounts(db, [...starting], now - ACTIVITY_LIFETIME_MS);
	const evictable = new Set(await runningOn(db, evictableDevices(starts, senders, running)));
	for (const { id } of rows) evictable.delete(id);
	rows.push(...(await loadActivities(db, evictable)));
	const accounts = new Set(concerns.map(({ accountId }) => accountId));
	const activities = await withDevices(db, rows, accounts);
	const lanes = await loadLanes(db, devicesByLane(activities, found, starts, senders), now);
	const hashes = concerns.flatMap(({ keyHash }) => keyHash ?? []);
	const kept = await keptAnswers(db, { hashes, now });
	const asked = concerns.flatMap(({ accountId, question }) =>
		question ? { accountId, names: question.names } : [],
	);
	const asking = await loadAsking(db, context, asked);
	const loaded = { senders, streams, activities, running, lanes, kept, asking };
	return new Board(loaded, { settings, now });
}

async function loadActivities(db: Db, ids: ReadonlySet<string>): Promise<Loaded[]> {
	const rows = await activitiesById(db, { ids: [...ids] });
	return rows.map((row) => ({ ...row, content: toContent(row) }));
}

function find(
	concerns: readonly Concern[],
	streams: readonly StreamRow[],
	rows: readonly Loaded[],
): Found[] {
	const byName = new Map(streams.map((one) => [`${one.account_id} ${one.stream_key}`, one]));
	const byId = new Map(rows.map((row) => [row.id, row]));
	return concerns.map((concern) => {
		const { accountId, streamKey, scope, activityIds = [] } = concern;
		const stream = streamKey === undefined ? undefined : byName.get(`${accountId} ${streamKey}`);
		const stored = stream ? toChannels(stream) : null;
		const slugs = concern.slugs === 'stored' ? stored : concern.slugs;
		const named = [stored, ...activityIds.map((id) => toChannels(byId.get(id)))]
			.flatMap((channels) => channels ?? [])
			.filter(isPhoneSlug);
		return {
			concern,
			stream,
			activity: stream?.activity_id ? byId.get(stream.activity_id) : undefined,
			reached: slugs === undefined ? undefined : { accountId, slugs, scope },
			checked: scope && named.length > 0 ? { accountId, slugs: named, scope } : undefined,
		};
	});
}

/**
 * The requests that may start an activity, in the accounts where a start is possible. Only those accounts have their
 * running activities counted: a large account has very many. A start is possible if a request
 * - starts or rotates its stream as stored, or
 * - comes with one that may end the stream's activity first: an update, an end or a pause. After it, even a plain
 *   update of the stream starts an activity.
 */
function findStarts(found: readonly Found[], rotatedBefore: number): Found[] {
	const byAccount = Map.groupBy(found, ({ concern }) => concern.accountId);
	return [...byAccount.values()].flatMap((some) => {
		const starts = some.filter(({ concern }) => concern.start);
		const mayEndFirst = some.some(
			({ concern: { start, streamKey, activityIds } }) =>
				!start && (streamKey !== undefined || activityIds !== undefined),
		);
		return mayEndFirst || starts.some((one) => startsAsStored(one, rotatedBefore)) ? starts : [];
	});
}

function startsAsStored({ concern, activity, reached }: Found, rotatedBefore: number): boolean {
	if (activity?.ended_at !== null) return true;
	const type = concern.start?.type;
	return (
		activity.started_at < rotatedBefore ||
		(type !== undefined && type !== activity.content.state.content.type) ||
		!isSameAudience(toChannels(activity), reached?.slugs ?? null)
	);
}

/** The devices of trial accounts that the starts may fill: their oldest activities then end. */
function evictableDevices(
	starts: readonly Found[],
	senders: ReadonlyMap<string, SendingAccount>,
	running: ReadonlyMap<string, number>,
): string[] {
	const byAccount = Map.groupBy(starts, ({ concern }) => concern.accountId);
	return [...byAccount].flatMap(([id, some]) => {
		if (senders.get(id)?.account.plan !== 'trial') return [];
		const devices = some.flatMap(({ reached }) => reachedDevices(senders, reached));
		return [...new Set(devices.map((device) => device.id))].filter(
			(device) => (running.get(device) ?? 0) + some.length > ACTIVITIES_PER_DEVICE,
		);
	});
}

/** The devices of those of a request's channels that exist. */
function reachedDevices(
	senders: ReadonlyMap<string, SendingAccount>,
	reached: Reached | undefined,
) {
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
	const showing = await devicesShowing(db, { activityIds: own.map(({ id }) => id) });
	const devices = Map.groupBy(showing, ({ activity_id: id }) => id);
	const reached = own.map((row) => ({ accountId: row.account_id, slugs: toChannels(row) }));
	const mutedBy = await loadMuted(db, reached);
	return rows.map(({ tags_json: tags, content, ...row }) => ({
		row,
		content,
		tags: fromJson<string[]>(tags),
		devices: devices.get(row.id) ?? [],
		muted: mutedBy(row.account_id, toChannels(row)),
	}));
}

/** The devices on which deliveries may join lanes: of activities, of streams that may start, and of badges. */
function devicesByLane(
	activities: readonly LiveActivity[],
	found: readonly Found[],
	starts: readonly Found[],
	senders: ReadonlyMap<string, SendingAccount>,
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
	for (const { concern, reached } of found)
		if (concern.lane !== undefined) add(concern.lane, reachedDevices(senders, reached));
	return lanes;
}
