import type {
	EndRequest,
	StartRequest,
	StreamDeleteRequest,
	StreamPutRequest,
	UpdateRequest,
} from '../../contract/live-activities.ts';
import { requireRecipients, requireWithinKey, decideAudience } from '../sending/audience.ts';
import { requireWebhooksAllowed } from '../shown/buttons.ts';
import { requireTriggersKnown } from '../triggers/listen.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { forbidden, notFound } from '../refusal.ts';
import type { Board, LiveActivity } from '../sending/board.ts';
import { requireSendingAccount } from '../sending/account.ts';
import {
	type ActivityChange,
	type ActivityMessage,
	annotate,
	changeActivity,
	endActivity,
	startActivity,
} from './lifecycle.ts';
import { toChannels } from '../shown/content.ts';

/** A legacy end, after which it is shown for three minutes (docs/api-decisions.md "Live Activity content"). */
const LEGACY_END = { reason: 'ended', dismissSeconds: 3 * 60 } as const;

type Request = StartRequest | UpdateRequest | EndRequest | StreamPutRequest | StreamDeleteRequest;

/** The changes that a request makes. */
export function changeIn(request: Request): ActivityChange {
	const { content_state: change = {}, action, secondary_action: second, tags, metadata } = request;
	return {
		change,
		actions: { ...(action && { action }), ...(second && { secondary_action: second }) },
		alert: 'alert' in request ? request.alert : undefined,
		tags,
		metadata,
	};
}

/** @throws Refusal `invalid` for a webhook that this server may not call, or an unknown trigger */
export async function readChange(context: Context, caller: Caller, request: Request) {
	const change = { ...changeIn(request), by: caller };
	requireWebhooksAllowed({ ...change.actions }, context.settings);
	await requireTriggersKnown(context, caller, { ...change.actions });
	return change;
}

export interface StartInput {
	caller: Caller;
	/** The channels named in the request, if any. */
	channels: readonly string[] | undefined;
	change: ActivityChange;
}

/**
 * Decides a manual start.
 * @throws Refusal `unauthorized`, `billing`, `invalid`, `forbidden`, `no_recipients` or `capacity`, without
 *         changing the board
 */
export function decideStart(board: Board, { caller, channels, change }: StartInput) {
	const sender = requireSendingAccount(board.senders.get(caller.accountId), board);
	const audience = decideAudience(sender, caller, channels);
	requireRecipients(audience);
	const options = { ...change, sender, audience, caller, streamKey: null };
	return { ...startActivity(board, options), audience };
}

interface ChangeInput {
	caller: Caller;
	/** The activity's id. */
	id: string;
	change: ActivityChange;
}

/**
 * Finds the activity if the caller can address it (docs/api-decisions.md "Manual lifecycle").
 * @throws Refusal `not_found` or `forbidden`
 */
function requireActivity(board: Board, caller: Caller, id: string): LiveActivity {
	const activity = board.activity(id);
	if (!activity)
		throw notFound(
			'Live Activity not found',
			'activity_id does not match any Live Activity. Use the activity_id that start returned.',
		);
	if (activity.row.account_id !== caller.accountId)
		throw forbidden(
			'Forbidden',
			'This Live Activity belongs to a different account than this API key.',
		);
	const reach = board.senders.get(caller.accountId);
	requireWithinKey(caller, toChannels(activity.row), 'Live Activity', reach);
	return activity;
}

/**
 * Decides a manual update.
 * @throws Refusal `invalid`, `forbidden` or `not_found`, without changing the board
 */
export function decideUpdate(board: Board, { caller, id, change }: ChangeInput): ActivityMessage {
	const activity = requireActivity(board, caller, id);
	const { ended_at: endedAt } = activity.row;
	if (endedAt !== null)
		throw notFound(
			'Live Activity not found',
			`This Live Activity ended at ${isoTime(endedAt)} and cannot be updated. Start a new one.`,
		);
	return changeActivity(board, activity, change);
}

/**
 * Decides a manual end. One that has already ended only gets the request's tags and metadata.
 * @returns undefined for an activity that had already ended
 * @throws Refusal `invalid`, `forbidden` or `not_found`, without changing the board
 */
export function decideEnd(board: Board, { caller, id, change }: ChangeInput) {
	const activity = requireActivity(board, caller, id);
	if (activity.row.ended_at === null) return endActivity(board, activity, change, LEGACY_END);
	annotate(board, activity, change);
	return undefined;
}

/** Ends activities by age, except those that have already ended. */
export function decideExpiry(board: Board, ids: readonly string[]): ActivityMessage[] {
	return ids.flatMap((id) => {
		const activity = board.activity(id);
		if (activity?.row.ended_at !== null) return [];
		return [endActivity(board, activity, undefined, { reason: 'expired' })];
	});
}
