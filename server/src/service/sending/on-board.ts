import { type Decision, decision } from '../../store/engine/sets.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import type { Db } from '../../store/schema.ts';
import type { Context, SetContext } from '../context.ts';
import type { Board } from './board.ts';
import { type BoardNeeds, loadBoard } from './load-board.ts';
import { addUsage } from '../../store/accounts/accounts.ts';
import {
	deleteStreams,
	detachActivities,
	endActivities,
	insertActivities,
	saveStreams,
	updateActivities,
} from '../../store/activities/activities.ts';
import { insertActivityDevices, queueForTokens } from '../../store/activities/activity-devices.ts';
import { changeHistoryEntries, insertHistoryEntries } from '../../store/history/history.ts';
import { updateImage } from '../../store/images.ts';
import { insertQuestionPeople, insertQuestions } from '../../store/questions.ts';
import { insertRepeats } from '../../store/outbox/repeats.ts';
import { setBadges } from '../../store/phones/devices.ts';
import { storeMessages } from './outgoing.ts';
import { replaceEarlier } from './sequences.ts';

interface BoardRequest<A = unknown> {
	needs: BoardNeeds;
	/** Decides it on the board as earlier requests left it; a rejection leaves the board unchanged. */
	decide: (board: Board) => A;
}

/**
 * Decides and stores a push, a badge, or a request about streams or Live Activities. All requests that wait at the same
 * time form one set, whatever their kind; the requests of an account keep their order.
 * @returns its result, once the set is durably committed
 * @throws what `decide` throws, without storing anything
 */
export function decideInSet<A>(context: Context, needs: BoardNeeds, decide: (board: Board) => A) {
	return context.inSets(decideSet)(needs.accountId, { needs, decide }) as Promise<A>;
}

/**
 * Decides and stores in a write of the account, as part of something else.
 * @returns the deliveries to attempt once it is committed
 */
export async function decideInWrite(
	db: Db,
	context: Context,
	needs: BoardNeeds,
	decide: (board: Board) => unknown,
): Promise<OutgoingDelivery[]> {
	const board = await loadBoard(db, context, [needs]);
	decide(board);
	await storeBoard(db, board);
	return board.outgoing.flatMap(({ deliveries }) => deliveries);
}

async function decideSet(db: Db, context: SetContext, requests: readonly BoardRequest[]) {
	const allNeeds = requests.map(({ needs }) => needs);
	const board = await loadBoard(db, context, allNeeds);
	const decisions = decideInTurn(board, requests);
	await storeBoard(db, board);
	return decisions;
}

/** Deliveries after which a set decides no more requests: storing them takes up to half a second. */
const ENOUGH_DELIVERIES = 20_000;

/**
 * Decides the requests of a set until they have made enough deliveries for one transaction. The others have no
 * decision, and go into the next set.
 */
export function decideInTurn<B extends Pick<Board, 'outgoing'>, A>(
	board: B,
	requests: ReadonlyArray<{ decide: (board: B) => A }>,
): Array<Decision<A>> {
	const decisions: Array<Decision<A>> = [];
	let [total, counted] = [0, 0];
	for (const { decide } of requests) {
		for (const { deliveries } of board.outgoing.slice(counted)) total += deliveries.length;
		if (total >= ENOUGH_DELIVERIES) break;
		counted = board.outgoing.length;
		decisions.push(decision(() => decide(board)));
	}
	return decisions;
}

/** Stores the changes of a set's requests, with one statement per table. */
export async function storeBoard(db: Db, board: Board) {
	await insertHistoryEntries(db, board.newEntries);
	await changeHistoryEntries(db, board.entryChanges);
	await storeActivities(db, board);
	await storeStreams(db, board);
	await storeMessages(db, board.outgoing, board.now);
	await storeWaiting(db, board);
	await storeParts(db, board);
	await replaceEarlier(db, board.sent, board.now);
	await storeSenders(db, board);
}

async function storeActivities(db: Db, { started, changed }: Pick<Board, 'started' | 'changed'>) {
	const isNew = new Set(started);
	const newRows = started.map(({ row }) => row);
	const rows = [...changed].filter((activity) => !isNew.has(activity)).map(({ row }) => row);
	const { running = [], ended = [] } = Object.groupBy(rows, ({ ended_at: end }) =>
		end === null ? 'running' : 'ended',
	);
	const shownOn = started.flatMap(({ row, devices }) =>
		devices.map(({ id }) => ({ activity_id: row.id, device_id: id })),
	);
	await insertActivities(db, newRows);
	await updateActivities(db, running);
	await endActivities(db, ended);
	await insertActivityDevices(db, shownOn);
}

async function storeStreams(db: Db, board: Pick<Board, 'detached' | 'changedStreams'>) {
	const { detached, changedStreams } = board;
	await detachActivities(db, { activityIds: detached });
	const changes = [...changedStreams.values()];
	const deleted = changes.filter(({ row }) => !row).map(({ name }) => name);
	await deleteStreams(db, deleted);
	const saved = changes.flatMap(({ row }) => row ?? []);
	await saveStreams(db, saved);
}

/** Stores what belongs to the pushes: pictures, repeats and questions. */
async function storeParts(db: Db, { sent }: Pick<Board, 'sent'>) {
	for (const { imageHash, entry } of sent) {
		if (imageHash === undefined) continue;
		// The picture is kept as long as the history entry of the last push that shows it.
		await updateImage(db, entry.account_id, imageHash, { history_id: entry.id });
	}
	const repeats = sent.flatMap(({ repeat, message }) =>
		repeat ? [{ ...repeat, message_id: message.id }] : [],
	);
	await insertRepeats(db, repeats);
	const asked = sent.flatMap(({ asked: question, message }) =>
		question ? [{ ...question, row: { ...question.row, message_id: message.id } }] : [],
	);
	const questions = asked.map(({ row }) => row);
	await insertQuestions(db, questions);
	const named = asked.flatMap(({ row, people }) =>
		people.map((id) => ({ question_id: row.id, user_id: id })),
	);
	await insertQuestionPeople(db, named);
}

/** Adds the sends of the set to the accounts' totals, and sets the badges of their devices. */
async function storeSenders(db: Db, { senders }: Pick<Board, 'senders'>) {
	const changed = [...senders.values()];
	const usage = changed
		.filter(({ newSends }) => newSends > 0)
		.map(({ account, period, newSends: sends }) => ({ account_id: account.id, period, sends }));
	await addUsage(db, usage);
	const badges = changed.flatMap((sender) =>
		[...sender.badges].map(([id, badge]) => ({ id, badge })),
	);
	await setBadges(db, badges);
}

/** The newest message for a token replaces earlier ones. */
async function storeWaiting(db: Db, { waiting }: Pick<Board, 'waiting'>) {
	const newest = new Map(waiting.map((row) => [`${row.activityId} ${row.deviceId}`, row] as const));
	const rows = [...newest.values()].map(({ message, activityId, deviceId }) => ({
		activity_id: activityId,
		device_id: deviceId,
		queued_message_id: message.id,
	}));
	await queueForTokens(db, rows);
}
