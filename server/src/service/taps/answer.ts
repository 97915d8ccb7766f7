import type { Action } from '../../contract/actions.ts';
import type { TapRequest } from '../../contract/device.ts';
import type { Answer, Notification } from '../../contract/shown.ts';
import { LEASE_MS } from '../../delivery/outbox.ts';
import { activityById } from '../../store/activities/activities.ts';
import {
	linkToPush,
	phonesShowing,
	type PushRow,
	setContent,
} from '../../store/history/answered-pushes.ts';
import { fromJson } from '../../store/json.ts';
import { insertMessage } from '../../store/outbox/messages.ts';
import { insertDeliveries, type OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Activity, Db } from '../../store/schema.ts';
import { saveStream, streamByKey } from '../../store/activities/streams.ts';
import { actionsOf, type ActivityDispatch, answerActivity } from '../activity-lifecycle.ts';
import { isAnother, type SentActions, shownButton } from '../buttons.ts';
import type { Context } from '../context.ts';
import type { Phone } from '../devices.ts';
import { answerTo, findTapped } from './tapped.ts';

/**
 * Stores the answer accepted by a webhook, and tells every phone showing the question. An answer that
 * closed the question is kept, and so are buttons that have replaced the tapped one meanwhile.
 * @returns the deliveries to attempt once it is committed
 */
export async function storeAnswer(
	db: Db,
	context: Context,
	{
		device,
		tap,
		called,
		answer,
	}: {
		device: Phone;
		tap: TapRequest;
		/** The button whose webhook was called. */
		called: Action;
		answer: Answer;
	},
): Promise<OutgoingDelivery[]> {
	const tapped = await findTapped(db, device, tap);
	if (!tapped || answerTo(tapped)?.final) return [];
	if (tapped.kind === 'push')
		return answerPush(db, context, device.account_id, tapped.push, answer);
	if (tapped.button && isAnother(called, tapped.button)) return [];
	const dispatch = await answerActivity(db, context, tapped.activity, answer);
	const next = await answerStream(db, context, { ...tapped, called, answer });
	return [...(dispatch?.deliveries ?? []), ...(next?.deliveries ?? [])];
}

/** Reasons for an end after which the stream continues with the same buttons. */
const PASSED_ON: ReadonlyArray<string | null> = ['rotated', 'paused', 'expired'];

/** If the stream was rotated or paused while the webhook ran, the answer goes to the buttons it passed on. */
async function answerStream(
	db: Db,
	context: Context,
	{
		activity,
		name,
		called,
		answer,
	}: { activity: Activity; name: keyof SentActions; called: Action; answer: Answer },
): Promise<ActivityDispatch | undefined> {
	const { account_id: accountId, stream_key: key } = activity;
	if (key === null || !PASSED_ON.includes(activity.end_reason)) return undefined;
	const stream = await streamByKey(db, accountId, key);
	if (!stream || stream.activity_id === activity.id) return undefined;
	const next = stream.activity_id ? await activityById(db, stream.activity_id) : undefined;
	const actions = actionsOf(next ?? stream);
	if (isAnother(called, actions[name])) return undefined;
	if (next) return answerActivity(db, context, next, answer);
	await saveStream(db, { ...stream, actions_json: JSON.stringify({ ...actions, answer }) });
	return undefined;
}

async function answerPush(
	db: Db,
	context: Context,
	accountId: string,
	{ message_id: pushId, history_id, content_json, actions_json }: PushRow,
	answer: Answer,
): Promise<OutgoingDelivery[]> {
	const actions = fromJson<Action[]>(actions_json) ?? [];
	const push: Notification = {
		...(JSON.parse(content_json) as Notification),
		actions: actions.map((action) => shownButton(action, answer)),
		answer,
	};
	await setContent(db, pushId, JSON.stringify(push));
	const phones = await phonesShowing(db, pushId);
	const now = context.now();
	const update = await insertMessage(db, {
		account_id: accountId,
		history_id,
		kind: 'push_update',
		content_json: JSON.stringify(push),
		lane: `push:${pushId}`,
		created_at: now,
	});
	const deliveries = await insertDeliveries(
		db,
		update,
		phones.map((phone) => phone.device),
		{
			now,
			leaseMs: LEASE_MS,
			muted: new Set(phones.filter(({ isMuted }) => isMuted).map((phone) => phone.device.id)),
		},
	);
	await linkToPush(db, update.id, pushId);
	const pushDeliveries = new Map(phones.map((phone) => [phone.device.id, phone.deliveryId]));
	return deliveries.map((delivery) => ({
		...delivery,
		pushDeliveryId: pushDeliveries.get(delivery.device.id),
	}));
}
