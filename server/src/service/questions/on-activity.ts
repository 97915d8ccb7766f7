import type { QuestionRequest } from '../../contract/questions.ts';
import { answerWords } from '../../contract/answer-words.ts';
import { isShownWhole } from '../../contract/categories.ts';
import type { Db, StreamRow } from '../../store/schema.ts';
import {
	type ActivityMessage,
	changeActivity,
	endActivity,
	startActivity,
} from '../activities/lifecycle.ts';
import type { Caller, Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import type { SendingAccount } from '../sending/account.ts';
import { type Audience, isSameAudience } from '../sending/audience.ts';
import type { Board } from '../sending/board.ts';
import { decideInWrite } from '../sending/on-board.ts';
import { closeActions, type SentActions } from '../shown/buttons.ts';
import { changeContent, type Content, toChannels, toColumns, toContent } from '../shown/content.ts';
import { decidePut, STREAM_END } from '../streams/decisions.ts';
import {
	type LoadedQuestion,
	type OnActivity,
	titleOf,
	parseNotification,
	toShownAnswer,
	toTerms,
} from './question.ts';

/** Buttons that a Live Activity has room for. */
const MAX_BUTTONS = 2;

/** The ways to answer, if they and all of the text fit on the Live Activity; otherwise a tap on it opens the app. */
function toButtons(id: string, question: QuestionRequest): SentActions {
	const { choices = [], text, link, title, subtitle, message } = question;
	const buttons = [
		...choices.map(({ id: choice, title }) => ({
			title,
			type: 'choice' as const,
			question_id: id,
			choice,
		})),
		...(link ? [{ ...link, type: 'open_url' as const, question_id: id }] : []),
	];
	const isWhole = isShownWhole(title, subtitle, message);
	if (text || buttons.length > MAX_BUTTONS || !isWhole) return {};
	const [action, second] = buttons;
	return { ...(action && { action }), ...(second && { secondary_action: second }) };
}

/** Live Activities of type `alert` require a message. */
const bodyOf = ({ title, message }: Pick<QuestionRequest, 'title' | 'message'>) =>
	message?.trim() ? message : title;

interface Shown {
	/** The Live Activity, as stored in the terms of the question. */
	terms: OnActivity;
	/** In the order of delivery. */
	messages: ActivityMessage[];
}

/** A question that a push asks. */
export interface QuestionToAsk {
	caller: Caller;
	question: QuestionRequest;
	audience: Audience;
	/** The id of its history entry. */
	id: string;
}

/**
 * Shows a new question on a Live Activity: a new one, or that of its stream.
 * @returns undefined if it does not ask for one, a phone has no room, or the stream is paused: it is a notification
 * @throws Refusal `forbidden` for another key's stream, without changing the board
 */
export function showOnActivity(
	board: Board,
	sender: SendingAccount,
	{ caller, question, audience, id }: QuestionToAsk,
): Shown | undefined {
	const { live_activity: placement, title, subtitle, target, tags } = question;
	if (!placement) return undefined;
	const { stream_key: streamKey = null, keep = false } = placement;
	if (streamKey !== null && board.stream(caller.accountId, streamKey)?.paused_at != null)
		return undefined;
	const body = bodyOf(question);
	const change = {
		change: { type: 'alert' as const, title, subtitle, message: body },
		actions: toButtons(id, question),
		...{ tags, by: caller },
		...(question.interruption_level !== 'passive' && { alert: { title, body } }),
	};
	try {
		const { started, ended } =
			streamKey === null
				? startActivity(board, { ...change, sender, audience, caller, streamKey })
				: putOnStream(board, { caller, streamKey, channels: target?.channels, change });
		const terms = { id: started.activity.id, stream_key: streamKey, keep };
		return { terms, messages: [...ended, started] };
	} catch (error) {
		if (error instanceof Refusal && error.kind === 'capacity') return undefined;
		throw error;
	}
}

function putOnStream(board: Board, put: Omit<Parameters<typeof decidePut>[1], 'path'>) {
	const { messages } = decidePut(board, { ...put, path: undefined, isWhole: true }).applied;
	const started = messages.at(-1);
	if (!started) throw new Error('A question changes the Live Activity of its stream');
	return { started, ended: messages.slice(0, -1) };
}

/** Whether the buttons of the content belong to this question; undefined if they belong to none. */
function asks({ actions }: Content, questionId: string): boolean | undefined {
	const buttons = [actions.action, actions.secondary_action];
	const choices = buttons.flatMap((button) => (button?.type === 'choice' ? button : []));
	if (choices.length === 0) return undefined;
	return choices.some(({ question_id: id }) => id === questionId);
}

type Row = LoadedQuestion['row'];

/** A workflow may show something else by now, or another question of the same title. */
const isOwn = ({ state: { content } }: Content, row: Row) =>
	content.type === 'alert' &&
	content.title === row.title &&
	content.message === bodyOf(parseNotification(row));

/** False once other content has taken the question's place, or the same text for other recipients. */
const shows = (content: Content, row: Row, on: Pick<StreamRow, 'channels_json'>) =>
	asks(content, row.id) ?? (isOwn(content, row) && isSameAudience(toChannels(on), toChannels(row)));

/** Content with a question that has ended, its buttons closed. */
function closed(content: Content, row: Row, now: number) {
	const state = isOwn(content, row) ? { type: 'alert' as const, message: endWords(row) } : {};
	const change = { change: state, actions: {}, isEnd: true as const };
	const next = changeContent(content, change, now);
	return { change, next: { ...next, actions: closeActions(next.actions, {}) } };
}

/** Ends the question in the state from which a paused stream would start. */
function endPaused(board: Board, stream: StreamRow, { row }: LoadedQuestion, keep: boolean): void {
	const content = toContent(stream);
	if (!content || !shows(content, row, stream)) return;
	if (keep) board.saveStream({ ...stream, ...toColumns(closed(content, row, board.now).next) });
	else board.deleteStream(stream);
}

/**
 * Ends the Live Activity of a question that has ended, or closes its buttons if it is kept.
 * @returns the deliveries to attempt once it is committed
 */
export async function endOnActivity(db: Db, context: Context, question: LoadedQuestion) {
	const { row } = question;
	const shown = toTerms(row).activity;
	if (!shown) return [];
	const { account_id: accountId } = row;
	const { id, stream_key: streamKey, keep } = shown;
	const needs = { accountId, activityIds: [id], ...(streamKey !== null && { streamKey }) };
	return decideInWrite(db, context, needs, (board) => {
		const stream = streamKey === null ? undefined : board.stream(accountId, streamKey);
		const activity = board.activityOf(stream) ?? board.activity(id);
		if (stream?.paused_at != null) return endPaused(board, stream, question, keep);
		if (activity?.row.ended_at !== null) return;
		const { content } = activity;
		if (!shows(content, row, activity.row)) return;
		const { change, next } = closed(content, row, board.now);
		if (keep) return changeActivity(board, activity, change, next);
		endActivity(board, activity, change, STREAM_END);
		if (stream) board.deleteStream(stream);
	});
}

/** Says on the Live Activity how the question ended. */
function endWords(row: Row): string {
	const { question } = parseNotification(row);
	if (question.status === 'withdrawn') return 'Withdrawn';
	if (!question.answer) return 'Nobody answered in time.';
	const shown = toShownAnswer(question, question.answer);
	if (shown) return answerWords(shown);
	if (question.answer.by === 'form') return 'Answered in the form';
	return `“${titleOf(question, question.answer)}”, because nobody answered in time`;
}
