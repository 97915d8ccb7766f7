import { noPhones, type PhonesByState } from '../../contract/delivery-states.ts';
import type { Db } from '../schema.ts';

/**
 * The phones each history entry was sent to, each counted once: by the state of its newest delivery, since
 * a Live Activity's later update makes the earlier ones pointless.
 */
export async function countPhones(
	db: Db,
	historyIds: readonly string[],
): Promise<Map<string, PhonesByState>> {
	const phones = new Map<string, PhonesByState>();
	if (historyIds.length === 0) return phones;
	const rows = await db
		.selectFrom((eb) =>
			eb
				.selectFrom('messages')
				.innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
				.where('messages.history_id', 'in', historyIds)
				// Answers are sent after the question; the counts here are those of the question.
				.where('messages.kind', '!=', 'push_update')
				.groupBy(['messages.history_id', 'deliveries.device_id'])
				.select(({ fn }) => ['messages.history_id', fn.max('deliveries.id').as('id')])
				.as('newest'),
		)
		.innerJoin('deliveries', 'deliveries.id', 'newest.id')
		.groupBy(['newest.history_id', 'deliveries.state'])
		.select(({ fn }) => [
			'newest.history_id',
			'deliveries.state',
			fn.countAll<number>().as('count'),
		])
		.execute();
	for (const { history_id: id, state, count } of rows) {
		const ofEntry = phones.get(id) ?? noPhones();
		ofEntry[state] = count;
		phones.set(id, ofEntry);
	}
	return phones;
}
