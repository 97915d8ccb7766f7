import type {
	ChangeResponse,
	EndRequest,
	StartRequest,
	StartResponse,
	UpdateRequest,
} from '../../contract/live-activities.ts';
import { activityById, dueActivityExpiries } from '../../store/activities/activities.ts';
import type { ActivityRow } from '../../store/schema.ts';
import { decideEnd, decideExpiry, decideStart, decideUpdate, readChange } from './decisions.ts';
import { loadMuted, toReachQuery } from '../sending/audience.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import type { LaterKind } from '../later/later.ts';
import { decideInSet, decideInWrite } from '../sending/on-board.ts';
import { attempt, countNotified } from '../sending/outgoing.ts';
import { registerActivityToken } from '../../store/activities/activity-devices.ts';
import { messageById } from '../../store/outbox/messages.ts';
import { activityNotOnDevice } from '../phones/dismissals.ts';
import type { Device } from '../phones/pairing.ts';
import { deliverStored } from '../sending/stored-pushes.ts';
import { toChannels } from '../shown/content.ts';

/**
 * POST /live-activity/start.
 * @throws Refusal `invalid`, `billing`, `forbidden`, `no_recipients` or `capacity`
 */
export async function start(context: Context, caller: Caller, request: StartRequest) {
	const change = await readChange(context, caller, request);
	const channels = request.target?.channels;
	const { started, ended, audience } = await decideInSet(
		context,
		{ ...toReachQuery(caller, channels), start: {} },
		(board) => decideStart(board, { caller, channels, change }),
	);
	caller.onRecorded?.(started.activity.id);
	const notified = countNotified(started, await attempt(context, [...ended, started]));
	return {
		success: true,
		activity_id: started.activity.id,
		...notified,
		effective_channel_slugs: audience.slugs,
		...(request.tags && { tags: request.tags }),
		timestamp: isoTime(context.now()),
	} satisfies StartResponse;
}

/**
 * POST /live-activity/update.
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export const update = changing<UpdateRequest>(decideUpdate);

/**
 * POST /live-activity/end. Ending it again succeeds with zero counts.
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export const end = changing<EndRequest>(decideEnd);

/** Handles requests that change an activity by its id. */
function changing<R extends UpdateRequest | EndRequest>(decide: typeof decideEnd) {
	return async (context: Context, caller: Caller, request: R): Promise<ChangeResponse> => {
		const { activity_id: id } = request;
		const { accountId, channels: scope } = caller;
		const input = { caller, id, change: await readChange(context, caller, request) };
		const needs = { accountId, scope, activityIds: [id] };
		const sent = await decideInSet(context, needs, (board) => decide(board, input));
		caller.onRecorded?.(id);
		const notified = sent && countNotified(sent, await attempt(context, [sent]));
		return {
			success: true,
			activity_id: id,
			devices_queued: sent?.queued ?? 0,
			devices_notified: notified?.devices_notified ?? 0,
			timestamp: isoTime(context.now()),
		};
	};
}

/** Ends the activities that iOS has ended after eight hours, to keep phones and capacity in sync. */
export const activityExpiry: LaterKind<ActivityRow> = {
	what: 'expiring Live Activities',
	rows: dueActivityExpiries,
	async handle(db, { context, accountId, rows }) {
		const activityIds = rows.map(({ id }) => id);
		const deliveries = await decideInWrite(db, context, { accountId, activityIds }, (board) =>
			decideExpiry(board, activityIds),
		);
		return { deliveries };
	},
};

/**
 * Stores an iOS device's token for an activity, and sends the update that waited for it.
 * @throws Refusal `not_found` when the activity was not started on this device
 */
export async function registerTokenOfActivity(
	context: Context,
	device: Device,
	activityId: string,
	token: string,
) {
	const deliveries = await context.database.write(device.account_id, async (db) => {
		const registered = await registerActivityToken(db, activityId, device.id, token);
		if (!registered) throw activityNotOnDevice();
		const { queued_message_id: id } = registered;
		const message = id === null ? undefined : await messageById(db, id);
		const activity = message && (await activityById(db, activityId));
		if (!activity) return [];
		const { account_id: accountId } = activity;
		const slugs = toChannels(activity);
		const mutedBy = await loadMuted(db, [{ accountId, slugs }]);
		const devices = [{ ...device, token }];
		return deliverStored(db, context, [{ message, devices, muted: mutedBy(accountId, slugs) }]);
	});
	await context.outbox.deliverNow(deliveries);
}
