import { ACTIVITY_LIFETIME_MS } from '../../durations.ts';
import type {
	ChangeResponse,
	EndRequest,
	StartRequest,
	StartResponse,
	UpdateRequest,
} from '../../contract/live-activities.ts';
import { outlivedActivities } from '../../store/activities/activities.ts';
import { decideEnd, decideExpiry, decideStart, decideUpdate, readChange } from './decisions.ts';
import { reachedBy } from '../sending/audience.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { forEachAccount } from '../../regular-work.ts';
import { onBoard } from '../sending/on-board.ts';
import { attempt, countNotified } from '../sending/outgoing.ts';

/**
 * POST /live-activity/start.
 * @throws Refusal `invalid`, `billing`, `forbidden`, `no_recipients` or `capacity`
 */
export async function start(
	context: Context,
	caller: Caller,
	request: StartRequest,
): Promise<StartResponse> {
	const change = await readChange(context, caller, request);
	const channels = request.target?.channels;
	const { started, ended, audience } = await onBoard(
		context,
		{ ...reachedBy(caller, channels), start: {} },
		(board) => decideStart(board, { caller, channels, change }),
	);
	caller.recorded?.(started.activity.id);
	const notified = countNotified(started, await attempt(context, [...ended, started]));
	return {
		success: true,
		activity_id: started.activity.id,
		devices_notified: notified.devices,
		users_notified: notified.users,
		effective_channel_slugs: audience.slugs,
		...(request.tags && { tags: request.tags }),
		timestamp: isoTime(context.now()),
	};
}

/**
 * POST /live-activity/update.
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export const update = changing<UpdateRequest>(decideUpdate);

/**
 * POST /live-activity/end. Ending twice succeeds with zero counts, so a
 * workflow may do so.
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export const end = changing<EndRequest>(decideEnd);

/** Makes the requests that change the activity which they name. */
function changing<R extends UpdateRequest | EndRequest>(decide: typeof decideEnd) {
	return async (context: Context, caller: Caller, request: R): Promise<ChangeResponse> => {
		const { activity_id: id } = request;
		const { accountId, channels: scope } = caller;
		const asked = { caller, id, change: await readChange(context, caller, request) };
		const concern = { accountId, scope, activityIds: [id] };
		const sent = await onBoard(context, concern, (board) => decide(board, asked));
		caller.recorded?.(id);
		const notified = sent && countNotified(sent, await attempt(context, [sent]));
		return {
			success: true,
			activity_id: id,
			devices_queued: sent?.queued ?? 0,
			devices_notified: notified?.devices ?? 0,
			timestamp: isoTime(context.now()),
		};
	};
}

const EXPIRED_AT_ONCE = 100;

/** Ends the activities that iOS has ended after eight hours, to keep phones and capacity in sync. */
export async function expireActivities(context: Context): Promise<number> {
	const outlived = await outlivedActivities(
		context.database.read,
		context.now() - ACTIVITY_LIFETIME_MS,
		EXPIRED_AT_ONCE,
	);
	let count = 0;
	await forEachAccount(outlived, async (accountId, some) => {
		const activityIds = some.map(({ id }) => id);
		const ended = await onBoard(context, { accountId, activityIds }, (board) =>
			decideExpiry(board, activityIds),
		);
		await attempt(context, ended);
		count += ended.length;
	});
	return count;
}
