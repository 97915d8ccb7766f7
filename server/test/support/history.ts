import { noPhones } from '../../src/contract/delivery-states.ts';
import { type Context, isoTime } from '../../src/service/context.ts';
import { historyPage, listLifecycle } from '../../src/store/history/history-pages.ts';

/** The newest entries of an account, each with its messages; with `tags`, only those with all of them. */
export async function historyOf(
	{ database: { read } }: Pick<Context, 'database'>,
	accountId: string,
	{ tags, limit }: { tags: readonly string[]; limit: number },
) {
	const { rows } = await historyPage(read, accountId, { tags }, { limit });
	return Promise.all(
		rows.map(async (row) => ({
			id: row.id,
			api_key_id: row.api_key_id,
			kind: row.kind,
			title: row.title,
			channels: row.channels,
			tags: row.tags,
			metadata: row.metadata,
			phones: row.phones,
			created_at: isoTime(row.created_at),
			ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
			messages: (await listLifecycle(read, row.id)).map(({ id, kind, created_at, deliveries }) => {
				const phones = noPhones();
				for (const { state } of deliveries) phones[state] += 1;
				const failing = deliveries.filter(({ state }) => ['failed', 'pending'].includes(state));
				const errors = new Set(failing.flatMap(({ last_error: error }) => error ?? []));
				return { id, kind, created_at: isoTime(created_at), phones, errors: [...errors] };
			}),
		})),
	);
}
