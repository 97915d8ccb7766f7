import type {
	QuestionQuery,
	QuestionResponse,
	QuestionsQuery,
	QuestionsResponse,
} from '../../contract/questions.ts';
import type { Caller, Context } from '../context.ts';
import { requireSameKey } from '../keys-and-channels/key-scope.ts';
import { loadPage } from '../lists.ts';
import { mayRead, questionNotFound } from './answer.ts';
import { loadQuestion, loadQuestions, toState } from './question.ts';
import { changeHistoryEntries } from '../../store/history/history.ts';
import { fromJson } from '../../store/schema.ts';
import { metadataOfOpen } from '../../store/questions.ts';

/**
 * GET /questions/{question_id}: its state, with `wait` once it has ended or the time is up.
 * @param gone aborted when the client has hung up
 * @throws Refusal `not_found`, `unauthorized` for a key revoked meanwhile, or TooManyRequests when too many requests of
 *         the key wait
 */
export async function readQuestion(
	context: Context,
	caller: Caller,
	id: string,
	{ wait }: QuestionQuery,
	gone: AbortSignal,
): Promise<QuestionResponse> {
	const { read } = context.database;
	const look = async () => {
		const question = await loadQuestion(read, caller.accountId, id);
		if (!question || !mayRead(caller, question)) throw questionNotFound();
		// Checked even before the first look: a hook has already waited for the push services.
		if (wait > 0) await requireSameKey(read, caller);
		const found = { success: true as const, ...toState(question) };
		return { found, isEnd: found.status !== 'open' };
	};
	const first = await look();
	if (wait === 0 || first.isEnd) return first.found;
	const key = caller.keyId ?? caller.accountId;
	const waiting = { key, ids: [id, key], milliseconds: wait * 1_000, gone };
	return context.questionWaits.until(waiting, look);
}

/** GET /questions: the open ones that the key has asked, newest first. */
export async function listQuestions(context: Context, caller: Caller, query: QuestionsQuery) {
	const { database } = context;
	const { accountId, keyId } = caller;
	const { entries, next } = await loadPage(
		query,
		(part) => loadQuestions(database.read, accountId, { isOpen: true, keyId, ...part }),
		({ row }) => row.id,
	);
	return { success: true, questions: entries.map(toState), next } satisfies QuestionsResponse;
}

/** What the history keeps of a question that a coding agent asks. */
export interface AgentSession {
	/** Its name and version, if it says so. */
	agent?: string | undefined;
	/** Its session. */
	session?: string | undefined;
	/** Its subagent that asks, if it is not the agent itself. */
	subagent?: string | undefined;
	/** The decision that the agent got. */
	returned?: string;
}

/**
 * The ids of the open questions that a key has asked in a session of an agent.
 * @param of with a property `subagent`, even undefined: only the questions of that subagent
 */
export async function openQuestionsOfAgent(
	{ database }: Context,
	caller: Caller,
	of: AgentSession,
) {
	const { accountId, keyId } = caller;
	if (of.session === undefined) return [];
	const open = await metadataOfOpen(database.read, { accountId, keyId });
	const isOf = (asker: AgentSession | undefined) =>
		asker?.session === of.session && (!('subagent' in of) || asker?.subagent === of.subagent);
	return open.filter(({ metadata_json: json }) => isOf(fromJson(json))).map(({ id }) => id);
}

/** Records in the questions' history which decision the agent received. */
export async function noteReturnedDecision(
	{ database, openPages }: Context,
	{ accountId }: Caller,
	ids: readonly string[],
	metadata: AgentSession,
): Promise<void> {
	const change = { metadata_json: JSON.stringify(metadata) };
	await database.write(accountId, (db) =>
		changeHistoryEntries(db, new Map(ids.map((id) => [id, change]))),
	);
	openPages.accountChanged(accountId);
}
