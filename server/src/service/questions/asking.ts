import type { ShownQuestion } from '../../contract/questions.ts';
import { countOpen, peopleNamed } from '../../store/questions.ts';
import type { Db, NewQuestion, UserRow } from '../../store/schema.ts';
import { type Context, timeOf } from '../context.ts';
import type { Usage } from '../keys-and-channels/key-scope.ts';

/** The state of the asking accounts, as the next question of a set finds it. */
export interface Asking {
	/** Milliseconds since 1970, by the clock that decides deadlines. */
	time: number;
	/** Open questions by account, and those of keys limited to channels among them. */
	open: Map<string, Usage>;
	people: ReadonlyArray<Pick<UserRow, 'id' | 'account_id' | 'name'>>;
}

/** Loads what the questions of a set need. @param askers the accounts, and the people that their questions name */
export async function loadAsking(
	db: Db,
	context: Pick<Context, 'now' | 'isClockShared'>,
	askers: ReadonlyArray<{ accountId: string; names: readonly string[] }>,
): Promise<Asking | undefined> {
	if (askers.length === 0) return undefined;
	const accountIds = [...new Set(askers.map(({ accountId }) => accountId))];
	const names = [...new Set(askers.flatMap((asker) => asker.names))];
	const people = await peopleNamed(db, { accountIds, names });
	const open = await countOpen(db, { accountIds });
	return {
		time: await timeOf(db, context),
		open: new Map(open.map(({ account_id: id, ...used }) => [id, used])),
		people,
	};
}

/** A question to be stored with its push. */
export interface QuestionToStore {
	/** Lacks the id of its message. */
	row: Omit<NewQuestion, 'message_id'>;
	/** The ids of those who may answer, if not everybody. */
	people: string[];
	shown: ShownQuestion;
}
