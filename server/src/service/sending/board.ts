import { Groups } from '../../collections.ts';
import { ACTIVITY_LIFETIME_MS, DAY_MS } from '../../durations.ts';
import type { ActivityDevice } from '../../store/activities/activity-devices.ts';
import type { StreamName } from '../../store/activities/activities.ts';
import {
	hashOf,
	type HistoryChange,
	isKept,
	type KeptResponse,
	type NewHistoryEntry,
} from '../../store/history/history.ts';
import type { Message } from '../../store/outbox/messages.ts';
import type { ActivityRow, StreamRow } from '../../store/schema.ts';
import type { ServiceSettings } from '../context.ts';
import { type Content, type ContentColumns, toColumns } from '../shown/content.ts';
import type { Asking } from '../questions/asking.ts';
import type { OutgoingMessage, AcceptedMessage } from './outgoing.ts';
import type { SendingAccount } from './account.ts';

/** Live Activities that iOS shows for one app on one device (docs/api-decisions.md "Capacity and billing"). */
export const ACTIVITIES_PER_DEVICE = 5;

/** An activity as the next request of a set finds it. */
export interface LiveActivity {
	/** Each change replaces the object, so an earlier request still holds the row as it left it. */
	row: ActivityRow;
	/** The row's content, parsed. */
	content: Content;
	tags: readonly string[] | undefined;
	/** Id of the key. */
	startedBy: string | null;
	/** The devices it was started on, except those that dismissed it. */
	devices: readonly ActivityDevice[];
	/** Its devices that have left its channels; absent while it is started. */
	left?: ReadonlySet<string> | undefined;
	/** Devices that it must not interrupt. */
	muted: ReadonlySet<string>;
}

/** New values of an activity's columns; its content is parsed. */
type ColumnChange = Partial<Omit<ActivityRow, keyof ContentColumns>> & { content?: Content };

/** The stored rows that the requests of a set need. */
export interface LoadedRows {
	/** Accounts that send, by id. */
	senders: ReadonlyMap<string, SendingAccount>;
	streams: readonly StreamRow[];
	activities: readonly LiveActivity[];
	/** The number of running activities, by device; needed for a start. */
	running: Map<string, number>;
	/** Responses kept for idempotency keys. */
	kept?: readonly KeptResponse[];
	/** What questions need; absent if none is asked. */
	asking?: Asking | undefined;
}

const toKey = ({ account_id: account, stream_key: key }: StreamName) => `${account} ${key}`;

/**
 * The accounts, streams and Live Activities of a set, as the next request finds them, and everything that the
 * set stores. Pushes and badges use only accounts. A refused request must not have changed it.
 */
export class Board {
	readonly settings: ServiceSettings;
	readonly now: number;
	readonly senders: ReadonlyMap<string, SendingAccount>;
	readonly asking: Asking | undefined;
	readonly #streams: Map<string, StreamRow>;
	readonly #activities: Map<string, LiveActivity>;
	readonly #running: Map<string, number>;
	readonly #kept: Map<string, KeptResponse>;

	readonly newEntries: NewHistoryEntry[] = [];
	readonly entryChanges = new Map<string, HistoryChange>();
	/** Activities started by the set. */
	readonly started: LiveActivity[] = [];
	/** Activities that the set has started or changed. */
	readonly changed = new Set<LiveActivity>();
	/** Activities that end and leave streams that are not loaded. */
	readonly detached: string[] = [];
	/** Streams that the set has changed; undefined: deleted. */
	readonly changedStreams = new Map<string, { name: StreamName; row: StreamRow | undefined }>();
	/** Pushes and badges. */
	readonly sent: AcceptedMessage[] = [];
	/** All messages, including those of `sent`. */
	readonly outgoing: OutgoingMessage[] = [];
	/** Devices on which a message waits for the activity's token. */
	readonly waiting: Array<{ message: Message; activityId: string; deviceId: string }> = [];

	constructor(
		{ senders, streams, activities, running, kept = [], asking }: LoadedRows,
		{ settings, now }: Pick<Board, 'settings' | 'now'>,
	) {
		this.settings = settings;
		this.now = now;
		this.senders = senders;
		this.asking = asking;
		this.#streams = new Map(streams.map((stream) => [toKey(stream), stream]));
		this.#activities = new Map(activities.map((activity) => [activity.row.id, activity]));
		this.#running = running;
		this.#kept = new Map(kept.map((response) => [hashOf(response), response]));
	}

	/** Adds a push or a badge with its history entry. */
	send(message: AcceptedMessage): AcceptedMessage {
		this.newEntries.push(message.entry);
		this.sent.push(message);
		this.outgoing.push(message);
		if (isKept(message.entry)) this.#kept.set(hashOf(message.entry), message.entry);
		return message;
	}

	/** The response kept for an idempotency key; undefined after a day. */
	keptResponse(hash: string): KeptResponse | undefined {
		const kept = this.#kept.get(hash);
		return kept && kept.created_at > this.now - DAY_MS ? kept : undefined;
	}

	stream(accountId: string, key: string): StreamRow | undefined {
		return this.#streams.get(toKey({ account_id: accountId, stream_key: key }));
	}

	/** The activity, which may be another account's. */
	activity(id: string): LiveActivity | undefined {
		return this.#activities.get(id);
	}

	activityOf(stream: StreamRow | undefined): LiveActivity | undefined {
		return stream?.activity_id ? this.activity(stream.activity_id) : undefined;
	}

	/** The number of running activities on a device. */
	runningOn(deviceId: string): number {
		return this.#running.get(deviceId) ?? 0;
	}

	/** True for an activity that takes up room on its devices. */
	isRunning({ row }: LiveActivity): boolean {
		return row.ended_at === null && row.started_at > this.now - ACTIVITY_LIFETIME_MS;
	}

	/** The loaded running activities of each device, oldest first. */
	runningByDevice(): ReadonlyMap<string, ReadonlySet<LiveActivity>> {
		const running = [...this.#activities.values()].filter((activity) => this.isRunning(activity));
		const byAge = running.sort((a, b) => a.row.started_at - b.row.started_at);
		const groups = new Groups<LiveActivity>();
		for (const activity of byAge) for (const { id } of activity.devices) groups.join(id, activity);
		return groups;
	}

	start(activity: LiveActivity, entry: NewHistoryEntry): void {
		this.#activities.set(activity.row.id, activity);
		this.#count(activity, 1);
		this.started.push(activity);
		this.changed.add(activity);
		this.newEntries.push(entry);
	}

	change(activity: LiveActivity, { content, ...columns }: ColumnChange): void {
		if (content) activity.content = content;
		activity.row = { ...activity.row, ...columns, ...(content && toColumns(content)) };
		this.changed.add(activity);
	}

	/** @param leavesStream false: its stream keeps it, and continues from its state */
	end(activity: LiveActivity, columns: ColumnChange & { ended_at: number }, leavesStream: boolean) {
		if (this.isRunning(activity)) this.#count(activity, -1);
		this.change(activity, columns);
		const { id, account_id, stream_key } = activity.row;
		if (stream_key === null || !leavesStream) return;
		const stream = this.stream(account_id, stream_key);
		if (!stream) this.detached.push(id);
		else if (stream.activity_id === id) this.saveStream({ ...stream, activity_id: null });
	}

	/** Changes the history entry of an activity. */
	changeEntry(activity: LiveActivity, change: HistoryChange): void {
		const { id } = activity.row;
		this.entryChanges.set(id, { ...this.entryChanges.get(id), ...change });
		if (change.tags) activity.tags = change.tags;
	}

	saveStream(row: StreamRow): void {
		this.#streams.set(toKey(row), row);
		this.changedStreams.set(toKey(row), { name: row, row });
	}

	deleteStream({ account_id, stream_key }: StreamName): void {
		const name = { account_id, stream_key };
		this.#streams.delete(toKey(name));
		this.changedStreams.set(toKey(name), { name, row: undefined });
	}

	#count({ devices }: LiveActivity, change: number): void {
		for (const { id } of devices) this.#running.set(id, this.runningOn(id) + change);
	}
}
