import { isPhoneSlug } from '../../contract/values.ts';
import { ACTIVITY_LIFETIME_MS } from '../../durations.ts';
import {
	activitiesById,
	runningCounts,
	runningOn,
	streamsByKey,
} from '../../store/activities/activities.ts';
import { devicesShowing } from '../../store/activities/activity-devices.ts';
import { findKeptResponses } from '../../store/history/history.ts';
import { type Db, fromJson, type StreamRow } from '../../store/schema.ts';
import { toChannels, toContent } from '../shown/content.ts';
import type { SetContext } from '../context.ts';
import { loadAsking } from '../questions/asking.ts';
import {
	devicesIn,
	isSameAudience,
	loadMuted,
	loadStillReached,
	type ReachQuery,
} from './audience.ts';
import { ACTIVITIES_PER_DEVICE, Board } from './board.ts';
import { loadSendingAccounts, type SendingAccount } from './account.ts';

/** The stored data that a request needs. */
export interface BoardNeeds {
	accountId: string;
	/**
	 * The channels whose devices it may reach; null: every device of the account; `stored`: the stream's channels.
	 * Absent: it reaches only devices that show its activities.
	 */
	slugs?: readonly string[] | null | 'stored';
	/** The channels of a limited key: whether it may change what reaches a single phone depends on them. */
	scope?: readonly string[] | null;
	streamKey?: string;
	activityIds?: readonly string[];
	/** For a question: the names of those who may answer, and whom its escalation reaches. */
	question?: { names: readonly string[]; escalated: ReachQuery | undefined };
	/** Hash of its idempotency key. */
	keyHash?: string;
	/** For a request that may start an activity: the type that it asks for, and whether it has an alert. */
	start?: { type?: string | undefined; hasAlert?: boolean };
}

/** A stored activity with its parsed content. */
type LoadedActivity = Awaited<ReturnType<typeof loadActivities>>[number];

/** What a request needs, with the stored stream and activity. */
interface FoundNeeds {
	needs: BoardNeeds;
	stream: StreamRow | undefined;
	activity: LoadedActivity | undefined;
	reached: ReachQuery | undefined;
	/** The phones to which the stored stream or activities went, if a limited key must reach them to change these. */
	checked: ReachQuery | undefined;
}

/** Loads the data that the requests of a set need, with one statement per table. */
export async function loadBoard(db: Db, context: SetContext, allNeeds: readonly BoardNeeds[]) {
	const { settings } = context;
	const now = context.now();
	const keys = allNeeds.flatMap(({ accountId: account_id, streamKey: stream_key }) =>
		stream_key === undefined ? [] : { account_id, stream_key },
	);
	const streams = await streamsByKey(db, keys);
	const ofStreams = streams.flatMap(({ activity_id: id }) => id ?? []);
	const named = allNeeds.flatMap(({ activityIds = [] }) => activityIds);
	const rows = await loadActivities(db, new Set([...ofStreams, ...named]));
	const found = matchStored(allNeeds, streams, rows);
	const reached = found.flatMap(({ reached, checked, needs }) =>
		[reached ?? [], checked ?? [], needs.question?.escalated ?? []].flat(),
	);
	const senders = await loadSendingAccounts(db, reached, now);
	const starts = findStarts(found, now - settings.rotationAgeMs);
	const starting = new Set(starts.map(({ needs }) => needs.accountId));
	const running = await runningCounts(db, [...starting], now - ACTIVITY_LIFETIME_MS);
	const evictable = new Set(await runningOn(db, evictableDevices(starts, senders, running)));
	for (const { id } of rows) evictable.delete(id);
	rows.push(...(await loadActivities(db, evictable)));
	const accounts = new Set(allNeeds.map(({ accountId }) => accountId));
	const activities = await withDevices(db, rows, accounts);
	const hashes = allNeeds.flatMap(({ keyHash }) => keyHash ?? []);
	const kept = await findKeptResponses(db, { hashes, now });
	const askers = allNeeds.flatMap(({ accountId, question }) =>
		question ? { accountId, names: question.names } : [],
	);
	const asking = await loadAsking(db, context, askers);
	const loaded = { senders, streams, activities, running, kept, asking };
	return new Board(loaded, { settings, now });
}

async function loadActivities(db: Db, ids: ReadonlySet<string>) {
	const rows = await activitiesById(db, { ids: [...ids] });
	return rows.map((row) => ({ ...row, content: toContent(row) }));
}

function matchStored(
	allNeeds: readonly BoardNeeds[],
	streams: readonly StreamRow[],
	rows: readonly LoadedActivity[],
): FoundNeeds[] {
	const byName = new Map(streams.map((row) => [`${row.account_id} ${row.stream_key}`, row]));
	const byId = new Map(rows.map((row) => [row.id, row]));
	return allNeeds.map((needs) => {
		const { accountId, streamKey, scope, activityIds = [] } = needs;
		const stream = streamKey === undefined ? undefined : byName.get(`${accountId} ${streamKey}`);
		const stored = stream ? toChannels(stream) : null;
		const slugs = needs.slugs === 'stored' ? stored : needs.slugs;
		const named = [stored, ...activityIds.map((id) => toChannels(byId.get(id)))]
			.flatMap((channels) => channels ?? [])
			.filter(isPhoneSlug);
		return {
			needs,
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
function findStarts(found: readonly FoundNeeds[], rotatedBefore: number): FoundNeeds[] {
	const byAccount = Map.groupBy(found, ({ needs }) => needs.accountId);
	return [...byAccount.values()].flatMap((ofAccount) => {
		const starts = ofAccount.filter(({ needs }) => needs.start);
		const mayEndFirst = ofAccount.some(
			({ needs: { start, streamKey, activityIds } }) =>
				!start && (streamKey !== undefined || activityIds !== undefined),
		);
		return mayEndFirst || starts.some((need) => startsAsStored(need, rotatedBefore)) ? starts : [];
	});
}

function startsAsStored({ needs, activity, reached }: FoundNeeds, rotatedBefore: number): boolean {
	// An alert starts a new activity if everybody has dismissed the last one.
	if (activity?.ended_at !== null || needs.start?.hasAlert) return true;
	const type = needs.start?.type;
	return (
		activity.started_at < rotatedBefore ||
		(type !== undefined && type !== activity.content.state.content.type) ||
		!isSameAudience(toChannels(activity), reached?.slugs ?? null)
	);
}

/** The devices of trial accounts that the starts may fill: the oldest activities there then end. */
function evictableDevices(
	starts: readonly FoundNeeds[],
	senders: ReadonlyMap<string, SendingAccount>,
	running: ReadonlyMap<string, number>,
): string[] {
	const byAccount = Map.groupBy(starts, ({ needs }) => needs.accountId);
	return [...byAccount].flatMap(([id, ofAccount]) => {
		const sender = senders.get(id);
		if (sender?.account.plan !== 'trial') return [];
		const devices = ofAccount.flatMap(({ reached }) =>
			reached ? devicesIn(sender, reached.slugs) : [],
		);
		return [...new Set(devices.map((device) => device.id))].filter(
			(device) => (running.get(device) ?? 0) + ofAccount.length > ACTIVITIES_PER_DEVICE,
		);
	});
}

/** Loads the devices of the accounts' activities; activities of other accounts get none. */
async function withDevices(db: Db, rows: readonly LoadedActivity[], accounts: ReadonlySet<string>) {
	const ofAccounts = rows.filter((row) => accounts.has(row.account_id));
	const showing = await devicesShowing(db, { activityIds: ofAccounts.map(({ id }) => id) });
	const devices = Map.groupBy(showing, ({ activity_id: id }) => id);
	const reached = ofAccounts.map((row) => ({ accountId: row.account_id, slugs: toChannels(row) }));
	const mutedBy = await loadMuted(db, reached);
	const limited = new Set(rows.flatMap((row) => (row.channels_json === null ? [] : row.id)));
	const ids = showing.flatMap(({ id, activity_id: activity }) => (limited.has(activity) ? id : []));
	const maySee = await loadStillReached(db, ids);
	return rows.map(({ tags_json: tags, api_key_id: startedBy, content, ...row }) => {
		const channels = toChannels(row);
		const shownOn = devices.get(row.id) ?? [];
		const left = shownOn.filter(({ id }) => !maySee(id, channels));
		return {
			row,
			content,
			tags: fromJson<string[]>(tags),
			startedBy,
			devices: shownOn,
			left: new Set(left.map(({ id }) => id)),
			muted: mutedBy(row.account_id, channels),
		};
	});
}
