import { insertStatement } from '../engine/json-rows.ts';
import { deleteBy } from '../engine/by-key.ts';
import { dueRows } from '../due.ts';
import { columnsOf, type Db } from '../schema.ts';

const KEY = ['message_id', 'user_id'] as const;

/** Keeps snoozes; a later one of the same push replaces it. */
export const keepSnoozes = insertStatement('snoozes', columnsOf('snoozes'), {
	replace: { key: KEY },
});

/** Forgets what the person snoozed at the given time. */
export const deleteSnoozes = deleteBy('snoozes', 'user_id', 'created_at');

/** Forgets the snoozes of messages, which then do not return. */
export async function deleteSnoozesOf(db: Db, messageIds: readonly number[]) {
	await db.deleteFrom('snoozes').where('message_id', 'in', messageIds).execute();
}

/** Snoozes that are over. */
export const dueSnoozes = dueRows('snoozes', { key: KEY, at: 'due_at', isOnce: true });
