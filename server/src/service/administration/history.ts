import { type HistoryEntry, listHistory } from '../../store/history/history.ts';
import { type Context, isoTime } from '../context.ts';

export type ShownHistoryEntry = Omit<
	HistoryEntry,
	'account_id' | 'created_at' | 'ended_at' | 'messages'
> & {
	created_at: string;
	ended_at: string | null;
	messages: Array<Omit<HistoryEntry['messages'][number], 'created_at'> & { created_at: string }>;
};

/** The account's newest history entries; with `tags`, only those with all of them. */
export async function historyOf(
	context: Context,
	accountId: string,
	filter: { tags: readonly string[]; limit: number },
): Promise<ShownHistoryEntry[]> {
	const entries = await listHistory(context.database.read, accountId, filter);
	return entries.map(({ account_id: _account, ...entry }) => ({
		...entry,
		created_at: isoTime(entry.created_at),
		ended_at: entry.ended_at === null ? null : isoTime(entry.ended_at),
		messages: entry.messages.map((message) => ({
			...message,
			created_at: isoTime(message.created_at),
		})),
	}));
}
