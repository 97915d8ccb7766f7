import { isDeepStrictEqual } from 'node:util';
import type { QuestionAnswer, QuestionStatus } from '../../contract/questions.ts';
import { updateQuestion } from '../../store/questions.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import type { Db, QuestionRow } from '../../store/schema.ts';
import { updatePush } from '../sending/stored-pushes.ts';
import { type Context, isoTime, timeOf } from '../context.ts';
import { endOnActivity } from './on-activity.ts';
import {
	withCurrentState,
	type LoadedQuestion,
	loadQuestion,
	questionLane,
	parseNotification,
	toTerms,
} from './question.ts';

/** What a write has changed: the deliveries to attempt, and the questions that have ended. */
export interface QuestionChanges {
	deliveries: OutgoingDelivery[];
	ended: string[];
}

const NOTHING: QuestionChanges = { deliveries: [], ended: [] };

/** Stores changes to a question, and updates its phones if these changes are visible there. */
export async function changeQuestion(
	db: Db,
	context: Context,
	{ row, people }: LoadedQuestion,
	change: Partial<QuestionRow>,
): Promise<OutgoingDelivery[]> {
	await updateQuestion(db, row.id, change);
	Object.assign(row, change);
	const before = parseNotification(row);
	const after = withCurrentState(before, row, people);
	if (isDeepStrictEqual(before, after)) return [];
	row.content_json = JSON.stringify(after);
	const message = { id: row.message_id, account_id: row.account_id, history_id: row.id };
	return updatePush(db, context, message, after, questionLane(row.id));
}

export interface QuestionEnd {
	status: Exclude<QuestionStatus, 'open'>;
	answer?: QuestionAnswer;
	/** True if the asking workflow needs no callback. */
	needsNoCallback?: boolean;
}

/** `at`: milliseconds since 1970. */
type TimedEnd = QuestionEnd & { at: number };

/** Ends an open question. */
async function endQuestion(db: Db, context: Context, question: LoadedQuestion, end: TimedEnd) {
	const { status, answer, needsNoCallback = false, at } = end;
	const callback = needsNoCallback ? 'none' : question.row.callback;
	const deliveries = await changeQuestion(db, context, question, {
		status,
		answer_json: answer ? JSON.stringify(answer) : null,
		ended_at: at,
		remind_at: null,
		escalate_at: null,
		due_at: null,
		callback,
		callback_at: callback === 'pending' ? at : null,
	});
	deliveries.push(...(await endOnActivity(db, context, question)));
	return { deliveries, ended: [question.row.id] } satisfies QuestionChanges;
}

/** Ends a question whose deadline has passed, as its terms say. */
export function endByDeadline(db: Db, context: Context, question: LoadedQuestion) {
	const { deadline_at: at } = question.row;
	const { default: choice } = toTerms(question.row);
	const end: QuestionEnd =
		choice === undefined
			? { status: 'expired' }
			: { status: 'answered', answer: { choice, by: 'deadline', at: isoTime(at) } };
	return endQuestion(db, context, question, { ...end, at });
}

interface Deciding {
	db: Db;
	question: LoadedQuestion | undefined;
	/** Ends the question. */
	end: (end: QuestionEnd) => Promise<void>;
	/** Milliseconds since 1970. */
	time: number;
}

/**
 * Decides about a question in a write of its account. Once its deadline has passed, it counts as ended, even if that
 * is not stored yet.
 * @param decide may end it, if it is still open
 * @returns the response to the request
 * @throws what `decide` throws, without storing anything
 */
export async function decideOn<R>(
	context: Context,
	accountId: string,
	id: string,
	decide: (deciding: Deciding) => Promise<R>,
): Promise<R> {
	const { response, changed } = await context.database.write(accountId, async (db) => {
		const question = await loadQuestion(db, accountId, id);
		const time = await timeOf(db, context);
		let changed = NOTHING;
		if (question?.row.status === 'open' && question.row.deadline_at <= time)
			changed = await endByDeadline(db, context, question);
		const end = async (how: QuestionEnd) => {
			if (question) changed = await endQuestion(db, context, question, { ...how, at: time });
		};
		return { response: await decide({ db, question, end, time }), changed };
	});
	announceAndDeliver(context, accountId, changed);
	return response;
}

/** After the commit: wakes requests that wait for the end, and starts the deliveries. */
export function announceAndDeliver(
	context: Context,
	accountId: string,
	{ deliveries, ended }: QuestionChanges,
) {
	for (const id of ended) context.questionWaits.changed(id);
	// No response waits for the push services.
	void context.outbox.deliverNow(deliveries);
	if (deliveries.length > 0 || ended.length > 0) context.openPages.accountChanged(accountId);
}
