import type { Db, SnoozeRow } from '../schema.ts';

/** The message of a push that was delivered to the device; undefined if it has no such push. */
export async function messageOfPush(
	db: Db,
	deviceId: string,
	deliveryId: number,
): Promise<number | undefined> {
	const row = await db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.select('messages.id')
		.where('deliveries.id', '=', deliveryId)
		.where('deliveries.device_id', '=', deviceId)
		.where('messages.kind', '=', 'push')
		.executeTakeFirst();
	return row?.id;
}

/** Keeps a snooze; a later one of the same push replaces it. */
export async function keepSnooze(db: Db, snooze: SnoozeRow): Promise<void> {
	const { due_at, created_at } = snooze;
	await db
		.insertInto('snoozes')
		.values(snooze)
		.onConflict((oc) => oc.columns(['message_id', 'user_id']).doUpdateSet({ due_at, created_at }))
		.execute();
}

/** Forgets what the person snoozed at the given time. */
export async function forgetSnoozes(db: Db, userId: string, createdAt: number): Promise<void> {
	await db
		.deleteFrom('snoozes')
		.where('user_id', '=', userId)
		.where('created_at', '=', createdAt)
		.execute();
}

/** Forgets the snoozes of messages, which then do not return. */
export async function forgetSnoozesOf(db: Db, messageIds: readonly number[]): Promise<void> {
	await db.deleteFrom('snoozes').where('message_id', 'in', messageIds).execute();
}

/** Snoozes that are over, the longest overdue first. */
export function dueSnoozes(
	db: Db,
	now: number,
	limit: number,
): Promise<Array<Pick<SnoozeRow, 'account_id'>>> {
	return db
		.selectFrom('snoozes')
		.select('account_id')
		.where('due_at', '<=', now)
		.orderBy('due_at')
		.limit(limit)
		.execute();
}

/** Ends the snoozes of an account that are over. Only one of several servers gets each. */
export function takeDueSnoozes(
	db: Db,
	accountId: string,
	now: number,
): Promise<Array<Pick<SnoozeRow, 'message_id' | 'user_id'>>> {
	return db
		.deleteFrom('snoozes')
		.where('account_id', '=', accountId)
		.where('due_at', '<=', now)
		.returning(['message_id', 'user_id'])
		.execute();
}
