import type { StoredState } from '../../contract/delivery-states.ts';
import type { RepeatEnd } from '../../contract/repeats.ts';
import {
	Column,
	assignedId,
	identity,
	key,
	instant,
	integer,
	ref,
	table,
	text,
} from './columns.ts';

export type MessageKind =
	'push' | 'push_update' | 'badge' | 'activity_start' | 'activity_update' | 'activity_end';

/** The outbox: messages, their deliveries to devices, and what waits to be delivered later. */
export const outboxTables = {
	/** A message, stored once for any number of devices. */
	messages: table(
		{
			id: identity(),
			/**
			 * Not a reference: the account's rows are deleted with its history, and checking another costs PostgreSQL a
			 * lock per row.
			 */
			account_id: text(),
			/** Its history entry; a Live Activity has the same id. */
			history_id: ref('history'),
			kind: text<MessageKind>(),
			/** The content for the device, in the format of contract/device.ts. */
			content_json: text(),
			/** The part that stays on the server: webhook URLs and bodies of the buttons. */
			actions_json: text().nullable(),
			/** Messages that must arrive in order on a device share a lane; null: the order does not matter. */
			lane: text().nullable(),
			created_at: instant(),
			/** Deliveries that have not arrived by then are dropped. null: it does not expire, or has expired. */
			expires_at: instant().nullable(),
		},
		'index messages_by_history on messages (history_id)',
		'index messages_expiring on messages (expires_at) where expires_at is not null',
	),

	/** One message to one device: the outbox, and the device's inbox. */
	deliveries: table(
		{
			/** Increases; serves as the device's cursor, and as the id by which it drops duplicates. */
			id: identity(),
			message_id: assignedId().references('messages'),
			device_id: ref('devices'),
			lane: text().nullable(),
			/** 1: a newer delivery of the lane may replace it. */
			replaceable: integer().default(0),
			/** 1: it was sent through muted channels only, and must not interrupt. */
			muted: integer().default(0),
			/** Why it must not interrupt: one of HELD in `store/outbox/deliveries.ts`. */
			held: integer().default(0),
			/** For a push_update: the delivery of the push to this device. */
			push_delivery_id: assignedId().nullable(),
			state: text<StoredState>(),
			attempts: integer().default(0),
			/** During an attempt, the end of its lease. */
			next_attempt_at: instant(),
			/** Until then the delivery belongs to the worker attempting it; null: to no worker. */
			leased_until: instant().nullable(),
			/** Why the last attempt failed. For a delivery that was taken: how it was sent, if not as its kind says. */
			last_error: text().nullable(),
			/** Time a push service accepted it. */
			handed_over_at: instant().nullable(),
			acknowledged_at: instant().nullable(),
			dismissed_at: instant().nullable(),
			/** A line for each failed attempt: its time and the reason, as in store/outbox/outcomes.ts. */
			failures: text().nullable(),
		},
		// The device: one message may have deliveries to ten thousand.
		'index deliveries_of_message on deliveries (message_id, device_id)',
		"index deliveries_due on deliveries (next_attempt_at) where state = 'pending'",
		"index deliveries_in_lane on deliveries (device_id, lane, id) where state = 'pending' and lane is not null",
		// Pushes on the lock screen, and everything else: a delivery is in one of the two, so storing it changes one page of
		// its phone. The pages are most of what a push to 10,000 phones writes.
		'index deliveries_shown on deliveries (device_id, id) where lane is null and dismissed_at is null and muted = 0',
		'index deliveries_not_shown on deliveries (device_id, id) where lane is not null or dismissed_at is not null or muted <> 0',
	),

	activity_devices: table(
		{
			activity_id: ref('activities'),
			device_id: ref('devices'),
			/**
			 * The activity's push token on an iOS device; updates queue until it arrives. The device's own: it shows the
			 * activity as a notification.
			 */
			token: text().nullable(),
			/** The message of the newest change waiting for the token, sent when the token arrives. */
			queued_message_id: assignedId().nullable().references('messages', 'set null'),
			dismissed_at: instant().nullable(),
		},
		'constraint activity_devices_pk primary key (activity_id, device_id)',
		'index activity_devices_by_device on activity_devices (device_id)',
		// Deleting a message looks up the updates queued with it.
		'index activity_devices_queued on activity_devices (queued_message_id) where queued_message_id is not null',
	),

	/**
	 * A channel at Apple over which phones get an activity's updates. A row stays until Apple has deleted its channel,
	 * even if the activity's row is gone.
	 */
	broadcast_channels: table(
		{
			activity_id: text(),
			environment: text<'production' | 'sandbox'>(),
			channel_id: text(),
			created_at: instant(),
		},
		'constraint broadcast_channels_pk primary key (activity_id, environment)',
	),

	/** Reloads of an iOS device's widgets after a metric changed. */
	widget_reloads: table(
		{
			device_id: key().references('devices'),
			account_id: ref('accounts'),
			/** The device's token for its widgets. */
			token: text(),
			/** Changes since the last reload was sent; those stored together count as one. */
			changed: integer().default(0),
			/** Earliest time: the floor between two reloads, a back-off, or the lease of an attempt. */
			next_attempt_at: instant().default(0),
			attempts: integer().default(0),
		},
		'index widget_reloads_by_account on widget_reloads (account_id)',
		'index widget_reloads_due on widget_reloads (next_attempt_at) where changed > 0',
	),

	/** A device that gets a summary of what was held back, once its quiet time is over. */
	quiet_summaries: table(
		{
			device_id: key().references('devices'),
			account_id: ref('accounts'),
			/** The first delivery that was held back. */
			first_delivery_id: assignedId(),
			/** End of the quiet time. */
			due_at: instant(),
		},
		'index quiet_summaries_due on quiet_summaries (due_at)',
		'index quiet_summaries_by_account on quiet_summaries (account_id)',
	),

	/** A push that is delivered again until someone reacts. */
	repeats: table(
		{
			id: key(),
			account_id: ref('accounts'),
			message_id: assignedId().references('messages'),
			every_ms: integer(),
			/** Further deliveries to make. */
			times_left: integer(),
			next_at: instant(),
			/** null: it still runs. */
			ended_at: instant().nullable(),
			end_reason: text<RepeatEnd>().nullable(),
		},
		'index repeats_by_message on repeats (message_id)',
		'index repeats_by_account on repeats (account_id)',
		'index repeats_due on repeats (next_at) where ended_at is null',
	),

	/** A push that a person has snoozed: it returns to their phones. */
	snoozes: table(
		{
			message_id: assignedId().references('messages'),
			user_id: ref('users'),
			account_id: ref('accounts'),
			/** When it returns. */
			due_at: instant(),
			/** The time of its dismissal. */
			created_at: instant(),
		},
		'constraint snoozes_pk primary key (message_id, user_id)',
		'index snoozes_due on snoozes (due_at)',
		'index snoozes_by_user on snoozes (user_id)',
		'index snoozes_by_account on snoozes (account_id)',
	),

	/** The last push of each sequence (docs/api-decisions.md "Replacing a push"). */
	push_sequences: table(
		{
			/** A hash of account, target and the sender's id. */
			hash: key(),
			message_id: assignedId().references('messages'),
		},
		'index push_sequences_by_message on push_sequences (message_id)',
	),

	/** Keys generated by the server, such as those of Web Push, and the last time it trusted its clock. */
	server_keys: table({ name: key(), value_json: text() }),

	/** The readiness check changes its row: a write without a change may need no room. */
	readiness: table({ id: new Column<number>('integer', ' primary key'), content: text() }),
};
