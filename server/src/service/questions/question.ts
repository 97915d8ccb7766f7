import type {
	QuestionAnswer,
	QuestionRequest,
	QuestionState,
	ShownQuestion,
} from '../../contract/questions.ts';
import type { PushRequest } from '../../contract/push.ts';
import type { Notification } from '../../contract/shown.ts';
import { shortened } from '../../contract/text.ts';
import {
	peopleOfQuestions,
	type ReadQuestion,
	readQuestions,
	sharedTime,
} from '../../store/questions.ts';
import { fromJson } from '../../store/json.ts';
import type { Db, QuestionRow } from '../../store/schema.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';

/**
 * A question (docs/api-decisions.md "Questions"):
 *
 *     open ──answer, or the deadline with a default──> answered
 *      ├──deadline──> expired
 *      └──withdrawal──> withdrawn
 *
 * Its row changes only in writes of its account, which exclude each other on all servers. So the first end that
 * commits wins, and everything else follows from the row.
 */

/** The push that asks it. */
export function pushOf(question: QuestionRequest): PushRequest {
	const { choices, text, link, answerable_by, deadline, remind, escalate, callback, ...more } =
		question;
	const { live_activity: _shownOn, ...push } = more;
	return push;
}

/** What only the server reads, as stored in `questions.terms_json`. */
export interface Terms extends Pick<QuestionRequest, 'remind' | 'escalate'> {
	/** The id of the choice that is the answer when the deadline passes. */
	default?: string | undefined;
	/** URL of the callback. */
	callback?: string | undefined;
	/** The Live Activity that shows it. */
	activity?: OnActivity | undefined;
}

export interface OnActivity {
	/** Of the activity, unless its stream has replaced it since. */
	id: string;
	stream_key: string | null;
	/** True if it does not end with the question. */
	keep: boolean;
}

export const toTerms = (row: Pick<QuestionRow, 'terms_json'>) =>
	JSON.parse(row.terms_json) as Terms;

/** Messages of one question, in order: a phone that was off gets its last state. */
export const questionLane = (id: string) => `question:${id}`;

/** Now, by the clock that decides deadlines: the database's if several servers can share it. */
export async function timeOf(
	db: Db,
	{ now, isClockShared }: Pick<Context, 'now' | 'isClockShared'>,
) {
	return (isClockShared ? await sharedTime(db) : undefined) ?? now();
}

/** The notification that asks it, as stored. */
export type Asked = Notification & { question: ShownQuestion };

export const toAsked = (content: { content_json: string }) =>
	JSON.parse(content.content_json) as Asked;

/** The notification with the question as its row has it now. */
export function changedAsked(
	asked: Asked,
	row: QuestionRow,
	people: ShownQuestion['answerable_by'],
): Asked {
	const { answer: _before, ...question } = asked.question;
	const answer = fromJson<QuestionAnswer>(row.answer_json);
	const shown = answer && toShownAnswer(asked.question, answer);
	return {
		...asked,
		...(shown && { answer: shown }),
		question: {
			...question,
			status: row.status,
			...(row.is_restricted === 1 && { answerable_by: people ?? [] }),
			...(row.ended_at !== null && { ended_at: isoTime(row.ended_at) }),
			...(answer && { answer }),
			callback: row.callback,
		},
	};
}

/** Characters of a typed answer in the line that names it. */
const SHOWN_ANSWER = 64;

/** The answer as all notifications with buttons show theirs, for phones that know no questions. */
export function toShownAnswer(question: ShownQuestion, answer: QuestionAnswer) {
	const { by, at } = answer;
	if (typeof by === 'string') return undefined;
	const button = titleOf(question, answer);
	return { button, by: by.user, device: by.device ?? 'Console', at, final: true };
}

/** The title of the choice, or the beginning of what was typed. */
export function titleOf({ choices }: ShownQuestion, { choice, text = '' }: QuestionAnswer): string {
	return choices?.find(({ id }) => id === choice)?.title ?? shortened(text, SHOWN_ANSWER);
}

/** The state that the API answers, and that callbacks get. */
export function toState({ row, people }: Known): QuestionState {
	const answer = fromJson<QuestionAnswer>(row.answer_json);
	const escalated = fromJson<QuestionState['escalated']>(row.escalated_json);
	return {
		question_id: row.id,
		title: row.title,
		status: row.status,
		...(answer && { answer }),
		...(row.is_restricted === 1 && { answerable_by: people.map(({ name }) => name) }),
		asked_at: isoTime(row.created_at),
		deadline_at: isoTime(row.deadline_at),
		ended_at: isoTimeOrNull(row.ended_at),
		...(escalated && { escalated }),
		callback: row.callback,
	};
}

/** A question, and the people who may answer it if it is restricted. */
export interface Known {
	row: ReadQuestion;
	people: Array<{ id: string; name: string }>;
}

/** Questions with their people. */
export async function loadQuestions(
	db: Db,
	accountId: string,
	filter: Parameters<typeof readQuestions>[2],
): Promise<Known[]> {
	const rows = await readQuestions(db, accountId, filter);
	const restricted = rows.filter((row) => row.is_restricted === 1).map(({ id }) => id);
	const people = Map.groupBy(
		await peopleOfQuestions(db, { questionIds: restricted }),
		({ question_id: id }) => id,
	);
	return rows.map((row) => ({
		row,
		people: (people.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
	}));
}

export async function loadQuestion(
	db: Db,
	accountId: string,
	id: string,
): Promise<Known | undefined> {
	const [known] = await loadQuestions(db, accountId, { ids: [id], limit: 1 });
	return known;
}
