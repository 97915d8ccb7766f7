import type { TapRequest } from '../../contract/device.ts';
import type { Answer, Notification } from '../../contract/shown.ts';
import { updateMessage } from '../../store/outbox/messages.ts';
import type { PushRow } from '../../store/outbox/delivered.ts';
import { type Db, fromJson } from '../../store/schema.ts';
import { answerActivity } from '../activities/lifecycle.ts';
import { toActions } from '../shown/content.ts';
import type { Board } from '../sending/board.ts';
import {
	type ActivityActions,
	answeredButton,
	isOtherButton,
	shownButton,
	type StoredAction,
} from '../shown/buttons.ts';
import type { Context } from '../context.ts';
import type { Device } from '../phones/pairing.ts';
import { decideInWrite } from '../sending/on-board.ts';
import { updatePush } from '../sending/stored-pushes.ts';
import { lastAnswer, findTapTarget, type TapTarget } from './target.ts';

/** An answer to a button. */
interface Answered {
	device: Pick<Device, 'id' | 'account_id'>;
	tap: TapRequest;
	/** The button that was tapped. */
	called: StoredAction;
	answer: Answer;
	/** The tap that closes this button; null: the button opens again. */
	first?: Answer | null;
}

/**
 * Stores the answer accepted by a webhook, and sends it to every phone showing the question. An earlier final answer is
 * kept, and so are buttons that have replaced the tapped one meanwhile.
 * @returns the deliveries to attempt once it is committed
 */
export async function storeAnswer(db: Db, context: Context, answered: Answered) {
	const tapped = await findTapTarget(db, answered.device, answered.tap);
	if (!tapped || lastAnswer(tapped)?.final) return [];
	if (tapped.kind === 'push') return answerPush(db, context, tapped.push, answered);
	if (tapped.button && isOtherButton(answered.called, tapped.button)) return [];
	const { id, account_id: accountId, stream_key: streamKey } = tapped.activity;
	const needs = { accountId, activityIds: [id], ...(streamKey !== null && { streamKey }) };
	return decideInWrite(db, context, needs, (board) => decideAnswer(board, tapped, answered));
}

/** Reasons for an end after which the stream continues with the same buttons. */
const PASSED_ON: ReadonlyArray<string | null> = ['rotated', 'paused', 'expired'];

/** If the stream was rotated or paused while the webhook ran, the answer also goes to the buttons it passed on. */
function decideAnswer(
	board: Board,
	{ activity: tapped, name }: Extract<TapTarget, { kind: 'activity' }>,
	{ called, answer, first }: Answered,
): void {
	const { id, account_id: accountId, stream_key: key, end_reason: reason } = tapped;
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
	if (isOtherButton(called, actions[name])) return;
	const changed = change(actions);
	if (next) answerActivity(board, next, changed);
	else board.saveStream({ ...stream, actions_json: JSON.stringify({ ...actions, ...changed }) });
}

async function answerPush(db: Db, context: Context, row: PushRow, answered: Answered) {
	const { message_id: id, history_id, content_json, actions_json } = row;
	const { device, tap, answer, first } = answered;
	const actions = (fromJson<StoredAction[]>(actions_json) ?? []).map((action, index) =>
		index === tap.action ? answeredButton(action, first) : action,
	);
	if (first !== undefined) await updateMessage(db, id, { actions_json: JSON.stringify(actions) });
	const push: Notification = {
		...(JSON.parse(content_json) as Notification),
		actions: actions.map((action) => shownButton(action, answer)),
		answer,
	};
	return updatePush(db, context, { id, account_id: device.account_id, history_id }, push);
}
