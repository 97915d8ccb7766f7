import type { Generated, Insertable, Kysely, Selectable } from 'kysely';
import type { DeliveryState } from '../contract/delivery-states.ts';
import type { ConsoleTables } from './console-tables.ts';

/** What a query runs on: the reading connection, or the transaction of a write. */
export type Db = Kysely<Tables>;

/**
 * The tables as Kysely sees them. Times are integers, milliseconds since 1970; `*_json` columns hold
 * JSON as text, so that SQLite and PostgreSQL store the same; flags are 0 or 1.
 */
export interface Tables extends ConsoleTables {
	accounts: AccountTable;
	usage: UsageTable;
	users: UserTable;
	devices: DeviceTable;
	pair_codes: PairCodeTable;
	channels: ChannelTable;
	channel_users: { channel_id: string; user_id: string };
	channel_devices: { channel_id: string; device_id: string };
	/** Channels by which a device does not want to be interrupted. */
	muted_channels: { channel_id: string; device_id: string };
	api_keys: ApiKeyTable;
	api_key_channels: { api_key_id: string; channel_id: string };
	history: HistoryTable;
	history_tags: { history_id: string; tag: string };
	messages: MessageTable;
	deliveries: DeliveryTable;
	activities: ActivityTable;
	activity_devices: ActivityDeviceTable;
	streams: StreamTable;
	metrics: MetricTable;
	taps: TapTable;
	widget_reloads: WidgetReloadTable;
	/** Keys that the server has made for itself, such as those of Web Push. */
	server_keys: { name: string; value_json: string };
}

interface AccountTable {
	id: string;
	name: string;
	owner_email: string;
	plan: 'paid' | 'trial';
	trial_started_at: number | null;
	trial_ends_at: number | null;
	/** Sends included: in the whole trial, or in each calendar month (UTC) of a paid plan; null = no limit. */
	quota: number | null;
	/** Sends a paid plan may make beyond its quota each month; null = no cap. */
	overage_cap: number | null;
	created_at: number;
}

/** Sends counted per period: `trial`, or a month such as `2026-11`. */
interface UsageTable {
	account_id: string;
	period: string;
	sends: number;
}

interface UserTable {
	id: string;
	account_id: string;
	name: string;
	email: string | null;
	created_at: number;
	/** Removed, but named in the history; null: not removed. */
	removed_at: Generated<number | null>;
}

interface DeviceTable {
	id: string;
	account_id: string;
	user_id: string;
	name: string;
	platform: 'web' | 'ios';
	token_hash: string;
	/** `disconnected`: its gateway said that it is gone, or its person unpaired it. */
	status: 'active' | 'disconnected';
	push_token: string | null;
	/** When it was last told, the same or another; null: before this was kept. */
	push_registered_at: Generated<number | null>;
	push_to_start_token: string | null;
	/** Which of Apple's two services the device's tokens belong to. */
	push_environment: Generated<'production' | 'sandbox'>;
	/** A browser's Web Push subscription, as contract/device.ts has it. */
	push_subscription_json: string | null;
	badge: number;
	paired_at: number;
	last_seen_at: number;
	/** Removed from the lists, but named in the history; null: not removed. */
	removed_at: Generated<number | null>;
}

interface PairCodeTable {
	code_hash: string;
	account_id: string;
	user_id: string;
	/** The id that the phone gets, so that the dialog with the code recognizes it. */
	device_id: string | null;
	expires_at: number;
	created_at: number;
}

interface ChannelTable {
	id: string;
	account_id: string;
	slug: string;
	name: string;
	created_at: number;
}

interface ApiKeyTable {
	id: string;
	account_id: string;
	name: string;
	hash: string;
	last_four: string;
	scope: 'all' | 'channels';
	created_at: number;
	last_used_at: number | null;
	revoked_at: number | null;
}

/** One row for each push, badge update and Live Activity: what was sent, by which key, with which tags. */
interface HistoryTable {
	id: string;
	account_id: string;
	api_key_id: string | null;
	kind: 'push' | 'badge' | 'activity';
	title: string;
	channels_json: string | null;
	tags_json: string | null;
	metadata_json: string | null;
	created_at: number;
	ended_at: number | null;
}

export type MessageKind =
	'push' | 'push_update' | 'badge' | 'activity_start' | 'activity_update' | 'activity_end';

/** What was sent, once, however many devices it goes to. */
interface MessageTable {
	id: Generated<number>;
	account_id: string;
	history_id: string;
	activity_id: string | null;
	kind: MessageKind;
	/** What the device is told, in the form of contract/device.ts. */
	content_json: string;
	/** What only the server knows: webhook URLs and bodies of the buttons. */
	actions_json: string | null;
	/** What must arrive in order on one device shares a lane; null: the order is of no matter. */
	lane: string | null;
	created_at: number;
}

/** One message to one device: the outbox, and the device's inbox. */
interface DeliveryTable {
	/** Grows; the device's cursor, and the id by which it drops what it has seen. */
	id: Generated<number>;
	message_id: number;
	device_id: string;
	state: DeliveryState;
	attempts: number;
	/** While an attempt is made, when its lease ends. */
	next_attempt_at: number;
	/** Until then the delivery belongs to the worker that attempts it; null: to none. */
	leased_until: number | null;
	lane: string | null;
	/** 1: a newer delivery of the lane may take its place. */
	replaceable: Generated<number>;
	/** 1: it came to the device by muted channels alone, and is not to interrupt. */
	muted: Generated<number>;
	/** Of a push_update: the delivery that brought the push to this device. */
	push_delivery_id: Generated<number | null>;
	last_error: string | null;
	/** When a push service took it. */
	handed_over_at: number | null;
	acknowledged_at: number | null;
	dismissed_at: number | null;
}

interface ActivityTable {
	id: string;
	account_id: string;
	stream_key: string | null;
	state_json: string;
	actions_json: string;
	/** Effective channel slugs, sorted; null: every device of the account. */
	channels_json: string | null;
	started_at: number;
	updated_at: number;
	ended_at: number | null;
	end_reason: string | null;
	dismiss_at: number | null;
}

interface ActivityDeviceTable {
	activity_id: string;
	device_id: string;
	/** The activity's own push token on an iOS device; updates queue until it arrives. */
	token: string | null;
	/** The newest change that waits for the token: its message, sent when the token arrives. */
	queued_message_id: number | null;
	dismissed_at: number | null;
}

interface StreamTable {
	account_id: string;
	stream_key: string;
	activity_id: string | null;
	state_json: string | null;
	actions_json: string | null;
	tags_json: string | null;
	channels_json: string | null;
	paused_at: number | null;
	updated_at: number;
}

interface MetricTable {
	account_id: string;
	key: string;
	name: string;
	format: 'number' | 'currency' | 'percent' | 'unit' | 'string';
	unit: string | null;
	value_json: string | null;
	measured_at: number | null;
	created_at: number;
}

/**
 * A tap that a device reported, by the device's own id for it, so that it acts once. One without an
 * outcome claims the webhooks of its entry for the time that a call may take.
 */
interface TapTable {
	/** Not a reference: who answered stays known when the phone is removed. */
	device_id: string;
	id: string;
	/** The push or Live Activity. */
	history_id: string;
	/** The names as they were then. */
	user_name: string;
	device_name: string;
	/** Title of the button. */
	button: string;
	/** The answer that the device got, as contract/device.ts has it; null: none yet. */
	outcome_json: string | null;
	created_at: number;
}

/** Reloads of the widgets of an iOS device after a metric's change. */
interface WidgetReloadTable {
	device_id: string;
	account_id: string;
	/** The token that the device got for its widgets. */
	token: string;
	/** Changes since the last reload that was sent. */
	changed: Generated<number>;
	/** Not before: the floor between two reloads, a back-off, or the lease of an attempt. */
	next_attempt_at: Generated<number>;
	attempts: Generated<number>;
}

export type Account = Selectable<AccountTable>;
export type User = Selectable<UserTable>;
export type DeviceRow = Selectable<DeviceTable>;
export type Channel = Selectable<ChannelTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type HistoryRow = Selectable<HistoryTable>;
export type NewDevice = Insertable<DeviceTable>;
export type NewHistory = Insertable<HistoryTable>;
export type NewMessage = Insertable<MessageTable>;
export type Activity = Selectable<ActivityTable>;
export type StreamRow = Selectable<StreamTable>;
export type MetricRow = Selectable<MetricTable>;
export type TapRow = Selectable<TapTable>;
