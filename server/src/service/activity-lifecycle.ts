import type { AlertPayload } from '../contract/common.ts';
import type { Answer, ShownActivity } from '../contract/shown.ts';
import {
	insertActivity,
	setActivityEnd,
	setActivityState,
} from '../store/activities/activities.ts';
import {
	type ActivityRecipient,
	queueForToken,
	recipientsOfActivity,
} from '../store/activities/activity-devices.ts';
import {
	insertHistory,
	markHistoryEnded,
	replaceMetadata,
	replaceTags,
	setHistoryTitle,
} from '../store/history/history.ts';
import { fromJson, toJson } from '../store/json.ts';
import type { Account, Activity, Db, MessageKind } from '../store/schema.ts';
import { detachActivity } from '../store/activities/streams.ts';
import type { Audience } from './audience.ts';
import {
	type ActivityActions,
	changeActions,
	closeActions,
	type SentActions,
	shownButton,
} from './buttons.ts';
import { makeRoom } from './capacity.ts';
import {
	type ActivityState,
	changeState,
	dismissSecondsOf,
	endedState,
	shownState,
	type StateChange,
} from './content-state.ts';
import { type Context, isoTime } from './context.ts';
import { type Dispatch, storeDispatch } from './dispatch.ts';
import { newActivityId } from './secrets.ts';

/** A request's changes to an activity. Omitted tags, actions and state fields are kept. */
export interface ActivityChange {
	change: StateChange;
	actions: SentActions;
	alert?: AlertPayload | undefined;
	tags?: readonly string[] | undefined;
	metadata?: unknown;
}

/** The stored deliveries of a change, attempted once the transaction is committed. */
export interface ActivityDispatch extends Dispatch {
	activity: Activity;
	/** Devices whose update waits for the activity's token. */
	queued: number;
}

/** The channels the activity was sent to; null: every device of the account. */
export function channelsOf(row: { channels_json: string | null }): string[] | null {
	return fromJson<string[]>(row.channels_json) ?? null;
}

export function stateOf(row: { state_json: string | null }): ActivityState | undefined {
	return fromJson<ActivityState>(row.state_json);
}

export function actionsOf(row: { actions_json: string | null }): ActivityActions {
	return fromJson<ActivityActions>(row.actions_json) ?? {};
}

/** An activity as the phone shows it. */
export function shownActivity(activity: Activity, now: number): ShownActivity {
	const { action, secondary_action: second, answer } = actionsOf(activity);
	const state = stateOf(activity);
	if (!state) throw new Error(`Activity ${activity.id} has no state`);
	return {
		activity_id: activity.id,
		stream_key: activity.stream_key,
		content_state: shownState(state, now),
		...(action && { action: shownButton(action, answer) }),
		...(second && { secondary_action: shownButton(second, answer) }),
		...(answer && { answer }),
		started_at: isoTime(activity.started_at),
		updated_at: isoTime(activity.updated_at),
		dismiss_at: activity.dismiss_at === null ? null : isoTime(activity.dismiss_at),
	};
}

/** An iOS device receives a token for each activity later; a browser needs none. */
function isReachable(recipient: ActivityRecipient): boolean {
	return recipient.platform === 'web' || recipient.token !== null;
}

/** A stream's activities share a lane, so the next one starts after the previous one has ended. */
function laneOf({ id, stream_key: key }: Activity): string {
	return key === null ? `activity:${id}` : `stream:${key}`;
}

async function send(
	db: Db,
	context: Context,
	activity: Activity,
	kind: MessageKind,
	recipients: readonly ActivityRecipient[],
	alert?: AlertPayload,
): Promise<ActivityDispatch> {
	const ready = kind === 'activity_start' ? recipients : recipients.filter(isReachable);
	const waiting = recipients.filter((recipient) => !ready.includes(recipient));
	const content = { activity: shownActivity(activity, context.now()), ...(alert && { alert }) };
	const dispatch = await storeDispatch(
		db,
		context,
		{
			account_id: activity.account_id,
			history_id: activity.id,
			activity_id: activity.id,
			kind,
			content_json: JSON.stringify(content),
			lane: laneOf(activity),
		},
		{ slugs: channelsOf(activity), devices: ready },
	);
	await queueForToken(
		db,
		activity.id,
		waiting.map(({ id }) => id),
		dispatch.messageId,
	);
	return { ...dispatch, activity, queued: waiting.length };
}

export interface StartOptions extends ActivityChange {
	account: Account;
	audience: Audience;
	keyId: string | null;
	streamKey: string | null;
	/** The stream's remembered state, into which the change is merged. */
	previous?: ActivityState | undefined;
	previousActions?: ActivityActions;
}

/**
 * Starts an activity on every device of the audience.
 * @returns the start, preceded by the ends of activities that a trial account gave up for it
 * @throws Refusal `invalid` or `capacity`
 */
export async function startActivity(
	db: Db,
	context: Context,
	options: StartOptions,
): Promise<{ started: ActivityDispatch; ended: ActivityDispatch[] }> {
	const { account, audience } = options;
	const now = context.now();
	const state = changeState(options.previous, options.change, now);
	const actions = changeActions(options.previousActions ?? {}, options.actions, state.content.type);
	const ended: ActivityDispatch[] = [];
	const deviceIds = audience.devices.map(({ id }) => id);
	await makeRoom(db, account, deviceIds, now, async (oldest) => {
		ended.push(await endActivity(db, context, oldest, undefined, { reason: 'capacity' }));
	});

	const activity: Activity = {
		id: newActivityId(),
		account_id: account.id,
		stream_key: options.streamKey,
		state_json: JSON.stringify(state),
		actions_json: JSON.stringify(actions),
		channels_json: toJson(audience.slugs),
		started_at: now,
		updated_at: now,
		ended_at: null,
		end_reason: null,
		dismiss_at: null,
	};
	await insertHistory(db, {
		id: activity.id,
		account_id: account.id,
		api_key_id: options.keyId,
		kind: 'activity',
		title: state.content.title,
		channels: audience.slugs,
		tags: options.tags,
		metadata: options.metadata,
		created_at: now,
	});
	await insertActivity(db, activity, deviceIds);
	const recipients = audience.devices.map((device) => ({ ...device, token: null }));
	const started = await send(db, context, activity, 'activity_start', recipients, options.alert);
	return { started, ended };
}

/** Most changes leave the title, and thus the entry, unchanged. */
async function keepInHistory(
	db: Db,
	activityId: string,
	before: ActivityState | undefined,
	after: ActivityState,
	change: ActivityChange,
): Promise<void> {
	const { title } = after.content;
	if (title !== before?.content.title) await setHistoryTitle(db, activityId, title);
	if (change.tags) await replaceTags(db, activityId, change.tags);
	if (change.metadata !== undefined) await replaceMetadata(db, activityId, change.metadata);
}

/**
 * Sends the merged state to the devices showing the activity.
 * @throws Refusal `invalid`
 */
export async function changeActivity(
	db: Db,
	context: Context,
	activity: Activity,
	change: ActivityChange,
): Promise<ActivityDispatch> {
	const now = context.now();
	const before = stateOf(activity);
	const state = changeState(before, change.change, now);
	const actions = changeActions(actionsOf(activity), change.actions, state.content.type);
	const columns = {
		state_json: JSON.stringify(state),
		actions_json: JSON.stringify(actions),
		updated_at: now,
	};
	await setActivityState(db, activity.id, columns);
	await keepInHistory(db, activity.id, before, state, change);
	const recipients = await recipientsOfActivity(db, activity.id);
	return send(
		db,
		context,
		{ ...activity, ...columns },
		'activity_update',
		recipients,
		change.alert,
	);
}

/** The reason an activity ended, as recorded in the history. */
type EndReason = 'ended' | 'rotated' | 'paused' | 'capacity' | 'expired';

export interface EndOptions {
	reason: EndReason;
	/**
	 * Seconds until it leaves the lock screen, unless the sender set them; absent: at once, whatever the
	 * sender set.
	 */
	dismissSeconds?: number;
}

/**
 * Ends the activity on the devices showing it, optionally with a last change.
 * @throws Refusal `invalid`
 */
export async function endActivity(
	db: Db,
	context: Context,
	activity: Activity,
	change: ActivityChange | undefined,
	{ reason, dismissSeconds }: EndOptions,
): Promise<ActivityDispatch> {
	const now = context.now();
	const before = stateOf(activity);
	const changed = changeState(before, change?.change ?? {}, now);
	const sent = change?.actions ?? {};
	const actions = closeActions(
		changeActions(actionsOf(activity), sent, changed.content.type),
		sent,
	);
	// A stream continues from the state of an expired activity, so its timer keeps running.
	const state = reason === 'expired' ? changed : endedState(changed, now);
	const shownFor = dismissSeconds === undefined ? 0 : dismissSecondsOf(state, dismissSeconds);
	const columns = {
		state_json: JSON.stringify(state),
		actions_json: JSON.stringify(actions),
		updated_at: now,
		ended_at: now,
		end_reason: reason,
		dismiss_at: now + shownFor * 1_000,
	};
	await setActivityEnd(db, activity.id, columns);
	await markHistoryEnded(db, activity.id, now);
	if (change) await keepInHistory(db, activity.id, before, state, change);
	// An expired activity stays with its stream; the stream's next update rotates it.
	if (reason !== 'expired') await detachActivity(db, activity.id);
	const recipients = await recipientsOfActivity(db, activity.id);
	return send(db, context, { ...activity, ...columns }, 'activity_end', recipients, change?.alert);
}

/**
 * Stores the answer to the activity's buttons and sends it to the devices showing the activity.
 * @returns undefined when no device shows it any more
 */
export async function answerActivity(
	db: Db,
	context: Context,
	activity: Activity,
	answer: Answer,
): Promise<ActivityDispatch | undefined> {
	const columns = {
		state_json: activity.state_json,
		actions_json: JSON.stringify({ ...actionsOf(activity), answer } satisfies ActivityActions),
		updated_at: activity.updated_at,
	};
	await setActivityState(db, activity.id, columns);
	if (activity.dismiss_at !== null && activity.dismiss_at <= context.now()) return undefined;
	const kind = activity.ended_at === null ? 'activity_update' : 'activity_end';
	const recipients = await recipientsOfActivity(db, activity.id);
	return send(db, context, { ...activity, ...columns }, kind, recipients);
}
