import type {
	LastCall,
	QuestionAnswer,
	QuestionRequest,
	QuestionState,
	ShownQuestion,
} from '../../contract/questions.ts';
import { shortened } from '../../contract/text.ts';
import { peopleOfQuestions, type ListedQuestion, listQuestions } from '../../store/questions.ts';
import { type Db, fromJson, type QuestionRow } from '../../store/schema.ts';
import { isoTime, isoTimeOrNull } from '../context.ts';
import type { PushRequest } from '../../contract/push.ts';
import type { Notification } from '../../contract/shown.ts';
import { receiversOfPeople } from '../../store/phones/device-audience.ts';
import { loadStillReached } from '../sending/audience.ts';

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
	/** The outcome of the callback's last call. */
	lastCall?: LastCall;
	/** The Live Activity that shows it. */
	activity?: OnActivity | undefined;
}

export interface OnActivity {
	/** The activity's id, unless its stream has replaced it since. */
	id: string;
	stream_key: string | null;
	/** True if it does not end with the question. */
	keep: boolean;
}

export const toTerms = (row: Pick<QuestionRow, 'terms_json'>) =>
	JSON.parse(row.terms_json) as Terms;

/** Messages of one question, in order: a phone that was off gets its last state. */
export const questionLane = (id: string) => `question:${id}`;

/** The notification that asks it, as stored. */
type QuestionNotification = Notification & { question: ShownQuestion };

export const parseNotification = (content: { content_json: string }) =>
	JSON.parse(content.content_json) as QuestionNotification;

/** The notification with the current state of the question. */
export function withCurrentState(
	asked: QuestionNotification,
	row: QuestionRow,
	people: ShownQuestion['answerable_by'],
): QuestionNotification {
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

/** The answer in the form used by all notifications with buttons, for phones that do not support questions. */
export function toShownAnswer(question: ShownQuestion, answer: QuestionAnswer) {
	const { by, at } = answer;
	if (typeof by === 'string') return undefined;
	const button = titleOf(question, answer);
	const typed = answer.text === undefined ? undefined : { typed: true as const };
	return { button, ...typed, by: by.user, device: by.device ?? 'Console', at, final: true };
}

/** The title of the choice, or the beginning of what was typed. */
export function titleOf({ choices }: ShownQuestion, { choice, text = '' }: QuestionAnswer): string {
	return choices?.find(({ id }) => id === choice)?.title ?? shortened(text, SHOWN_ANSWER);
}

/** The state that the API returns, and that callbacks get. */
export function toState({ row, people }: LoadedQuestion): QuestionState {
	const answer = fromJson<QuestionAnswer>(row.answer_json);
	const escalated = fromJson<QuestionState['escalated']>(row.escalated_json);
	const { default: byDefault, lastCall } = toTerms(row);
	return {
		question_id: row.id,
		title: row.title,
		status: row.status,
		...(answer && { answer }),
		...(row.is_restricted === 1 && { answerable_by: people.map(({ name }) => name) }),
		asked_at: isoTime(row.created_at),
		deadline_at: isoTime(row.deadline_at),
		...(byDefault !== undefined && { deadline_choice: byDefault }),
		ended_at: isoTimeOrNull(row.ended_at),
		...(escalated && { escalated }),
		callback: row.callback,
		...(lastCall !== undefined && { callback_status: lastCall }),
	};
}

export interface LoadedQuestion {
	row: ListedQuestion;
	/** The channels that it went to, and those of its escalation; null: every device of the account. */
	channels: readonly string[] | null;
	/** The people who may answer it, if it is restricted. */
	people: Array<{ id: string; name: string }>;
}

/**
 * The channels that a push, or a question and its escalation, went to; null: every device of the account.
 * @param row with the terms of a question; null: it asks none
 */
export function channelsOf(
	row: Pick<ListedQuestion, 'channels_json' | 'escalated_json'> & { terms_json: string | null },
): string[] | null {
	const { terms_json, escalated_json: escalated } = row;
	const channels = fromJson<string[]>(row.channels_json) ?? null;
	const terms = terms_json !== null && escalated !== null ? toTerms({ terms_json }) : {};
	return channels && [...channels, ...(terms.escalate?.target.channels ?? [])];
}

/** The question's id and the key that asked it: the audit log never has content, such as the title. */
export const auditName = ({ id, key_name: key }: ListedQuestion) =>
	key === null ? id : `${id} (${key})`;

/** Questions with their people. Those that are named may answer once an escalation has reached them. */
export async function loadQuestions(
	db: Db,
	accountId: string,
	filter: Parameters<typeof listQuestions>[2],
): Promise<LoadedQuestion[]> {
	const rows = await listQuestions(db, accountId, filter);
	const questionIds = rows.filter((row) => row.is_restricted === 1).map(({ id }) => id);
	const named = await peopleOfQuestions(db, { questionIds });
	const byQuestion = Map.groupBy(named, ({ question_id: id }) => id);
	const questions = rows.map((row) => ({
		row,
		channels: channelsOf(row),
		people: (byQuestion.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
	}));
	const restricted = questions.filter(({ people }) => people.length > 0);
	const userIds = named.map(({ id }) => id);
	const mayAnswer = await loadMayAnswer(db, restricted, userIds);
	for (const question of restricted)
		if (question.row.escalate_at === null)
			question.people = question.people.filter(({ id }) =>
				mayAnswer(question, { userId: id, joinedAt: 0 }),
			);
	return questions;
}

export async function loadQuestion(db: Db, accountId: string, id: string) {
	const [question] = await loadQuestions(db, accountId, { ids: [id], limit: 1 });
	return question;
}

/** A person of the account who would answer. */
export interface Answerer {
	userId: string;
	/** The phone that they answer on. */
	deviceId?: string;
	/** In the console: when they joined the account, in milliseconds since 1970. */
	joinedAt?: number;
}

/**
 * Finds out who may answer questions, wherever they answer (docs/api-decisions.md "Questions"): a phone that got the
 * question or its escalation, is paired, and is reached by its channels today; and the person of such a phone. A
 * question to all phones may also be answered by everyone who was in the account when it was asked. People can lose
 * the right, but nobody gains it: a phone that is paired later has no delivery. `loadWhyNot` checks `answerable_by`.
 * @param userIds all people that will be asked about
 */
async function loadMayAnswer(
	db: Db,
	questions: readonly LoadedQuestion[],
	userIds: readonly string[],
) {
	const messageIds = questions.map(({ row }) => row.message_id);
	const receivers = await receiversOfPeople(db, { userIds, messageIds });
	const isReached = await loadStillReached(db, [...new Set(receivers.map(({ id }) => id))]);
	const byMessage = Map.groupBy(receivers, ({ message_id: id }) => id);
	return ({ row, channels }: LoadedQuestion, { userId, deviceId, joinedAt = Infinity }: Answerer) =>
		(byMessage.get(row.message_id) ?? []).some(
			({ id, user_id: owner }) =>
				owner === userId && (deviceId ?? id) === id && isReached(id, channels),
		) ||
		(channels === null && joinedAt <= row.sent_at);
}

/**
 * Finds out why a person may not answer questions, in words for them; undefined if they may.
 * @param person undefined: none of the account
 */
export async function loadWhyNot(
	db: Db,
	questions: readonly LoadedQuestion[],
	person: Answerer | undefined,
): Promise<(question: LoadedQuestion) => string | undefined> {
	const mayAnswer = await loadMayAnswer(db, questions, person ? [person.userId] : []);
	return (question) => {
		const { row, people, channels } = question;
		if (row.is_restricted === 1 && people.length === 0)
			return 'Nobody can answer this question anymore: the people allowed to, or their phones, were removed. An owner can withdraw it in the console.';
		if (row.is_restricted === 1 && !people.some(({ id }) => id === person?.userId))
			return `Only ${people.map(({ name }) => name).join(', ')} may answer this question.`;
		if (person && mayAnswer(question, person)) return undefined;
		if (person?.deviceId !== undefined)
			return 'This phone is no longer in the channels of this question, so it cannot answer.';
		return channels === null
			? 'Only people who were in this account when this was asked may answer.'
			: 'Only people whose phones got this question, and are still in its channels, may answer.';
	};
}
