import type { TapRequest } from '../../contract/device.ts';
import type { Answer, Notification } from '../../contract/shown.ts';
import { type PushRow, updateMessage } from '../../store/taps/answered-pushes.ts';
import { fromJson } from '../../store/json.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Activity, Db } from '../../store/schema.ts';
import { answerActivity } from '../activities/lifecycle.ts';
import { toActions } from '../shown/content.ts';
import type { Board } from '../sending/board.ts';
import {
	type ActivityActions,
	answeredButton,
	isAnother,
	type SentActions,
	shownButton,
	type StoredAction,
} from '../shown/buttons.ts';
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
		first,
	}: {
		device: Pick<Phone, 'id' | 'account_id'>;
		tap: TapRequest;
		/** The button whose webhook was called. */
		called: StoredAction;
		answer: Answer;
		/** The tap that closes the button alone; null: it opens again. */
		first?: Answer | null;
	},
): Promise<OutgoingDelivery[]> {
	const tapped = await findTapped(db, device, tap);
	if (!tapped || answerTo(tapped)?.final) return [];
	if (tapped.kind === 'push')
		return answerPush(db, context, { device, tap, push: tapped.push, answer, first });
	if (tapped.button && isAnother(called, tapped.button)) return [];
	const { activity } = tapped;
	const board = await loadBoard(db, context, [
		{
			accountId: activity.account_id,
			activityIds: [activity.id],
			...(activity.stream_key !== null && { streamKey: activity.stream_key }),
		},
	]);
	decideAnswer(board, { ...tapped, called, answer, first });
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
		first,
	}: {
		activity: Activity;
		name: keyof SentActions;
		called: StoredAction;
		answer: Answer;
		first: Answer | null | undefined;
	},
): void {
	const change = (actions: ActivityActions): ActivityActions => {
		const button = actions[name];
		return { ...(button && { [name]: answeredButton(button, first) }), answer };
	};
	const activity = board.activity(id);
	if (activity) answerActivity(board, activity, change(activity.content.actions));
	if (key === null || !PASSED_ON.includes(reason)) return;
	const stream = board.stream(accountId, key);
	if (!stream || stream.activity_id === id) return;
	const next = board.activityOf(stream);
	const actions = next?.content.actions ?? toActions(stream);
	if (isAnother(called, actions[name])) return;
	const changed = change(actions);
	if (next) answerActivity(board, next, changed);
	else board.saveStream({ ...stream, actions_json: JSON.stringify({ ...actions, ...changed }) });
}

async function answerPush(
	db: Db,
	context: Context,
	{
		device,
		tap,
		push: { message_id: id, history_id, content_json, actions_json },
		answer,
		first,
	}: {
		device: Pick<Phone, 'account_id'>;
		tap: TapRequest;
		push: PushRow;
		answer: Answer;
		first: Answer | null | undefined;
	},
): Promise<OutgoingDelivery[]> {
	const actions = (fromJson<StoredAction[]>(actions_json) ?? []).map((action, place) =>
		place === tap.action ? answeredButton(action, first) : action,
	);
	if (first !== undefined) await updateMessage(db, id, { actions_json: JSON.stringify(actions) });
	const push: Notification = {
		...(JSON.parse(content_json) as Notification),
		actions: actions.map((action) => shownButton(action, answer)),
		answer,
	};
	return updatePush(db, context, { id, account_id: device.account_id, history_id }, push);
}
