import type { Action } from '../../contract/actions.ts';
import type { TapRequest } from '../../contract/device.ts';
import type { Answer, Notification } from '../../contract/shown.ts';
import type { PushRow } from '../../store/taps/answered-pushes.ts';
import { fromJson } from '../../store/json.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Activity, Db } from '../../store/schema.ts';
import { answerActivity } from '../activities/lifecycle.ts';
import { toActions } from '../shown/content.ts';
import type { Board } from '../sending/board.ts';
import { isAnother, type SentActions, shownButton, type StoredAction } from '../shown/buttons.ts';
import type { Context } from '../context.ts';
import type { Phone } from '../phones/pairing.ts';
import { loadBoard } from '../sending/load-board.ts';
import { updatePush } from '../sending/push-update.ts';
import { storeBoard } from '../sending/store-board.ts';
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
		called: StoredAction;
		answer: Answer;
	},
): Promise<OutgoingDelivery[]> {
	const tapped = await findTapped(db, device, tap);
	if (!tapped || answerTo(tapped)?.final) return [];
	if (tapped.kind === 'push')
		return answerPush(db, context, device.account_id, tapped.push, answer);
	if (tapped.button && isAnother(called, tapped.button)) return [];
	const { activity } = tapped;
	const board = await loadBoard(db, context, [
		{
			accountId: activity.account_id,
			activityIds: [activity.id],
			...(activity.stream_key !== null && { streamKey: activity.stream_key }),
		},
	]);
	decideAnswer(board, { ...tapped, called, answer });
	await storeBoard(db, board);
	return board.outgoing.flatMap(({ deliveries }) => deliveries);
}

/** Reasons for an end after which the stream continues with the same buttons. */
const PASSED_ON: ReadonlyArray<string | null> = ['rotated', 'paused', 'expired'];

/** If the stream was rotated or paused while the webhook ran, the answer also goes to the buttons it passed on. */
function decideAnswer(
	board: Board,
	{
		activity: { id, account_id: accountId, stream_key: key, end_reason: reason },
		name,
		called,
		answer,
	}: { activity: Activity; name: keyof SentActions; called: StoredAction; answer: Answer },
): void {
	const activity = board.activity(id);
	if (activity) answerActivity(board, activity, answer);
	if (key === null || !PASSED_ON.includes(reason)) return;
	const stream = board.stream(accountId, key);
	if (!stream || stream.activity_id === id) return;
	const next = board.activityOf(stream);
	const actions = next?.content.actions ?? toActions(stream);
	if (isAnother(called, actions[name])) return;
	if (next) answerActivity(board, next, answer);
	else board.saveStream({ ...stream, actions_json: JSON.stringify({ ...actions, answer }) });
}

async function answerPush(
	db: Db,
	context: Context,
	accountId: string,
	{ message_id: id, history_id, content_json, actions_json }: PushRow,
	answer: Answer,
): Promise<OutgoingDelivery[]> {
	const actions = fromJson<Action[]>(actions_json) ?? [];
	const push: Notification = {
		...(JSON.parse(content_json) as Notification),
		actions: actions.map((action) => shownButton(action, answer)),
		answer,
	};
	return updatePush(db, context, { id, account_id: accountId, history_id }, push);
}
