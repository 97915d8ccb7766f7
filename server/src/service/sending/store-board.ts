import { addUsage } from '../../store/accounts/accounts.ts';
import {
	endActivities,
	insertActivities,
	updateActivities,
} from '../../store/activities/activities.ts';
import { insertActivityDevices, queueForTokens } from '../../store/activities/activity-devices.ts';
import { deleteStreams, detachActivities, saveStreams } from '../../store/activities/streams.ts';
import { changeHistoryEntries, insertHistoryEntries } from '../../store/history/history.ts';
import type { Db } from '../../store/schema.ts';
import { attachImage } from '../../store/images.ts';
import { insertQuestionPeople, insertQuestions } from '../../store/questions.ts';
import { insertRepeats } from '../../store/outbox/repeats.ts';
import { setBadges } from '../../store/phones/devices.ts';
import type { Board } from './board.ts';
import { storeMessages } from './outgoing.ts';
import { replaceEarlier } from './sequences.ts';

/** Stores the changes of a set's requests, with one statement per table. */
export async function storeBoard(db: Db, board: Board): Promise<void> {
	await insertHistoryEntries(db, board.newEntries);
	await changeHistoryEntries(db, board.entryChanges);
	await storeActivities(db, board);
	await storeStreams(db, board);
	await storeMessages(db, board.outgoing, board.lanes);
	await storeWaiting(db, board);
	await storeParts(db, board);
	await replaceEarlier(db, board.sent, board.now);
	await storeSenders(db, board);
}

async function storeActivities(
	db: Db,
	{ started, changed }: Pick<Board, 'started' | 'changed'>,
): Promise<void> {
	const isNew = new Set(started);
	const newRows = started.map(({ row }) => row);
	const rows = [...changed].filter((one) => !isNew.has(one)).map(({ row }) => row);
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

async function storeStreams(
	db: Db,
	{ detached, changedStreams }: Pick<Board, 'detached' | 'changedStreams'>,
): Promise<void> {
	await detachActivities(db, { activityIds: detached });
	const changes = [...changedStreams.values()];
	const deleted = changes.filter(({ row }) => !row).map(({ name }) => name);
	await deleteStreams(db, deleted);
	const saved = changes.flatMap(({ row }) => row ?? []);
	await saveStreams(db, saved);
}

/** Stores what pushes bring along: their pictures, repeats and questions. */
async function storeParts(db: Db, { sent }: Pick<Board, 'sent'>): Promise<void> {
	for (const { imageHash, entry } of sent) {
		if (imageHash === undefined) continue;
		const { id: historyId, account_id: accountId } = entry;
		await attachImage(db, { accountId, pathHash: imageHash, historyId });
	}
	const repeats = sent.flatMap(({ repeat, message }) =>
		repeat ? [{ ...repeat, message_id: message.id }] : [],
	);
	await insertRepeats(db, repeats);
	const asked = sent.flatMap(({ asked: one, message }) =>
		one ? [{ ...one, row: { ...one.row, message_id: message.id } }] : [],
	);
	await insertQuestions(
		db,
		asked.map(({ row }) => row),
	);
	await insertQuestionPeople(
		db,
		asked.flatMap(({ row, people }) => people.map((id) => ({ question_id: row.id, user_id: id }))),
	);
}

/** Adds the sends of the set to the accounts' totals, and sets the badges of their devices. */
async function storeSenders(db: Db, { senders }: Pick<Board, 'senders'>): Promise<void> {
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
async function storeWaiting(db: Db, { waiting }: Pick<Board, 'waiting'>): Promise<void> {
	const newest = new Map(waiting.map((one) => [`${one.activityId} ${one.deviceId}`, one] as const));
	const rows = [...newest.values()].map(({ message, activityId, deviceId }) => ({
		activity_id: activityId,
		device_id: deviceId,
		queued_message_id: message.id,
	}));
	await queueForTokens(db, rows);
}
