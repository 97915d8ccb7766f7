import { isDeepStrictEqual } from 'node:util';
import type { StreamOperation } from '../contract/live-activities.ts';
import { replaceMetadata, tagsOf } from '../store/history/history.ts';
import { fromJson, toJson } from '../store/json.ts';
import type { Account, Activity, Db, StreamRow } from '../store/schema.ts';
import { saveStream } from '../store/activities/streams.ts';
import {
	actionsOf,
	type ActivityChange,
	type ActivityDispatch,
	changeActivity,
	channelsOf,
	endActivity,
	startActivity,
	stateOf,
} from './activity-lifecycle.ts';
import { assertRecipients, type Audience, isSameAudience } from './audience.ts';
import { recordSend } from './billing.ts';
import { changeActions } from './buttons.ts';
import { changeState } from './content-state.ts';
import type { Caller, Context } from './context.ts';
import { streamOperation, type StreamSituation } from './stream-operation.ts';

/** The effect of a PUT or a resume on the stream. */
export interface Applied {
	operation: StreamOperation;
	activity: Activity | undefined;
	previous?: Activity;
	/** In the order of delivery; the response counts the last one. */
	dispatches: ActivityDispatch[];
}

/** A stream, its activity and the change to make, within one transaction. */
export interface StreamStep {
	db: Db;
	context: Context;
	caller: Caller;
	account: Account;
	audience: Audience;
	stream: StreamRow | undefined;
	activity: Activity | undefined;
	change: ActivityChange;
	streamKey: string;
}

async function situationOf(step: StreamStep): Promise<StreamSituation> {
	const { db, context, audience, stream, activity, change } = step;
	const now = context.now();
	const stored = activity && stateOf(activity);
	const state = stored && changeState(stored, change.change, now);
	const actions = state && changeActions(actionsOf(activity), change.actions, state.content.type);
	const tags = activity && change.tags ? await tagsOf(db, activity.id) : undefined;
	return {
		isPaused: stream?.paused_at != null,
		hasActivity: activity !== undefined,
		// An expired activity counts as too old.
		age: !activity ? 0 : activity.ended_at === null ? now - activity.started_at : Infinity,
		rotationAge: context.settings.rotationAgeMs,
		typeChanged: state?.content.type !== stored?.content.type,
		audienceChanged:
			activity !== undefined && !isSameAudience(channelsOf(activity), audience.slugs),
		nothingChanged:
			isDeepStrictEqual(state, stored) &&
			isDeepStrictEqual(actions, activity && actionsOf(activity)) &&
			(!change.tags || isDeepStrictEqual([...change.tags].sort(), [...(tags ?? [])].sort())),
		alertSent: change.alert !== undefined,
	};
}

/** Stores a paused stream's state without sending anything. */
async function remember({ db, context, audience, stream, change }: StreamStep): Promise<Applied> {
	if (!stream) throw new Error('Only a stored stream can be paused');
	const state = changeState(stateOf(stream), change.change, context.now());
	await saveStream(db, {
		...stream,
		state_json: JSON.stringify(state),
		actions_json: JSON.stringify(
			changeActions(actionsOf(stream), change.actions, state.content.type),
		),
		tags_json: change.tags ? toJson(change.tags) : stream.tags_json,
		channels_json: toJson(audience.slugs),
		updated_at: context.now(),
	});
	return { operation: 'paused', activity: undefined, dispatches: [] };
}

/** Starts the stream's activity from the state left by a pause or the previous activity. */
export async function begin(step: StreamStep, before: ActivityDispatch[] = []): Promise<Applied> {
	const { db, context, caller, account, audience, stream, activity, change, streamKey } = step;
	const inherited = activity ?? stream;
	const { started, ended } = await startActivity(db, context, {
		...change,
		tags:
			change.tags ??
			(activity ? await tagsOf(db, activity.id) : fromJson<string[]>(stream?.tags_json ?? null)),
		account,
		audience,
		keyId: caller.keyId,
		streamKey,
		previous: inherited && stateOf(inherited),
		previousActions: inherited ? actionsOf(inherited) : {},
	});
	await saveStream(db, {
		account_id: account.id,
		stream_key: streamKey,
		activity_id: started.activity.id,
		state_json: null,
		actions_json: null,
		tags_json: null,
		channels_json: toJson(audience.slugs),
		paused_at: null,
		updated_at: context.now(),
	});
	await recordSend(db, context, account);
	return {
		operation: 'started',
		activity: started.activity,
		dispatches: [...before, ...ended, started],
	};
}

/** Ends the old activity at once and starts a new one from its state. */
async function rotate(step: StreamStep, old: Activity): Promise<Applied> {
	const before =
		old.ended_at === null
			? [await endActivity(step.db, step.context, old, undefined, { reason: 'rotated' })]
			: [];
	return { ...(await begin(step, before)), operation: 'rotated', previous: old };
}

/**
 * Carries out the operation that the situation requires.
 * @throws Refusal `invalid`, `no_recipients` or `capacity`
 */
export async function applyChange(step: StreamStep): Promise<Applied> {
	const { db, context, account, activity, change } = step;
	const operation = streamOperation(await situationOf(step));
	if (operation === 'paused') return remember(step);
	assertRecipients(step.audience);
	if (operation === 'started' || !activity) return begin(step);
	if (operation === 'rotated') return rotate(step, activity);
	if (operation === 'noop') {
		if (change.metadata !== undefined) await replaceMetadata(db, activity.id, change.metadata);
		return { operation, activity, dispatches: [] };
	}
	const updated = await changeActivity(db, context, activity, change);
	await recordSend(db, context, account);
	return { operation, activity: updated.activity, dispatches: [updated] };
}
