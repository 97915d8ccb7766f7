import { noPhones } from '../../src/contract/delivery-states.ts';
import { type Context, isoTime } from '../../src/service/context.ts';
import { withCounts } from '../../src/service/history/list.ts';
import { historyPage } from '../../src/store/history/pages.ts';
import { lifecyclePart } from '../../src/store/history/lifecycle.ts';

/** More than any test has. */
const ALL = 100_000;

/** The newest entries of an account, each with its messages; with `tags`, only those with all of them. */
export async function historyOf(
	context: Context,
	accountId: string,
	{ tags, limit }: { tags: readonly string[]; limit: number },
) {
	const { read } = context.database;
	const { rows } = await historyPage(read, accountId, { tags }, { limit });
	const lifecycle = async (id: string) => {
		const parts = await lifecyclePart(read, id, { limit: ALL });
		return [...Map.groupBy(parts.reverse(), ({ message_id }) => message_id)];
	};
	return Promise.all(
		rows.map(async (row) => ({
			id: row.id,
			api_key_id: row.api_key_id,
			kind: row.kind,
			title: row.title,
			channels: row.channels,
			tags: row.tags,
			metadata: row.metadata,
			phones: (await withCounts(context, row)).phones,
			created_at: isoTime(row.created_at),
			ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
			messages: (await lifecycle(row.id)).map(([id, deliveries]) => {
				const { kind, created_at } = deliveries[0]!;
				const phones = noPhones();
				for (const { state } of deliveries) if (state !== null) phones[state] += 1;
				const failing = deliveries.filter(({ state }) => state === 'failed' || state === 'pending');
				const errors = new Set(failing.flatMap(({ last_error: error }) => error ?? []));
				return { id, kind, created_at: isoTime(created_at), phones, errors: [...errors] };
			}),
		})),
	);
}
