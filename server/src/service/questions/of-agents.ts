import { changeHistoryEntries } from '../../store/history/history.ts';
import { fromJson } from '../../store/schema.ts';
import { metadataOfOpen } from '../../store/questions.ts';
import type { Caller, Context } from '../context.ts';

/** What the history keeps of a question that a coding agent asks. */
interface OfAgent {
	/** Its name and version, if it says so. */
	agent?: string | undefined;
	/** Its session. */
	session?: string | undefined;
	/** What it was answered. */
	returned?: string;
}

/** The ids of the open questions that a key has asked in a session of an agent. */
export async function openOfSession(context: Context, caller: Caller, session: string | undefined) {
	const { database } = context;
	const { accountId, keyId } = caller;
	if (session === undefined) return [];
	const open = await metadataOfOpen(database.read, { accountId, keyId });
	return open
		.filter(({ metadata_json: json }) => fromJson<OfAgent>(json)?.session === session)
		.map(({ id }) => id);
}

/** Keeps in the history of questions what an agent was answered. */
export async function noteReturned(
	{ database, openPages }: Context,
	{ accountId }: Caller,
	ids: readonly string[],
	metadata: OfAgent,
): Promise<void> {
	const change = { metadata_json: JSON.stringify(metadata) };
	await database.write(accountId, (db) =>
		changeHistoryEntries(db, new Map(ids.map((id) => [id, change]))),
	);
	openPages.accountChanged(accountId);
}
