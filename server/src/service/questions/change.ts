import { isDeepStrictEqual } from 'node:util';
import type { QuestionAnswer, QuestionStatus } from '../../contract/questions.ts';
import { updateQuestion } from '../../store/questions.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Db, QuestionRow } from '../../store/schema.ts';
import { updatePush } from '../sending/stored.ts';
import { type Context, isoTime, timeOf } from '../context.ts';
import { endOnActivity } from './on-activity.ts';
import {
	changedAsked,
	type LoadedQuestion,
	loadQuestion,
	questionLane,
	toAsked,
	toTerms,
} from './question.ts';

/** What a write has changed: the deliveries to attempt, and the questions that have ended. */
export interface Changed {
	deliveries: OutgoingDelivery[];
	ended: string[];
}

const NOTHING: Changed = { deliveries: [], ended: [] };

/** Stores changes of a question, and tells its phones if they see a difference. */
export async function changeQuestion(
	db: Db,
	context: Context,
	{ row, people }: LoadedQuestion,
	change: Partial<QuestionRow>,
): Promise<OutgoingDelivery[]> {
	await updateQuestion(db, row.id, change);
	Object.assign(row, change);
	const before = toAsked(row);
	const after = changedAsked(before, row, people);
	if (isDeepStrictEqual(before, after)) return [];
	row.content_json = JSON.stringify(after);
	const message = { id: row.message_id, account_id: row.account_id, history_id: row.id };
	return updatePush(db, context, message, after, questionLane(row.id));
}

export interface End {
	status: Exclude<QuestionStatus, 'open'>;
	answer?: QuestionAnswer;
	/** True if whoever asked knows already. */
	isUntold?: boolean;
}

/** Ends an open question. @param at milliseconds since 1970 */
async function endQuestion(db: Db, context: Context, known: LoadedQuestion, end: End, at: number) {
	const { status, answer, isUntold = false } = end;
	const callback = isUntold ? 'none' : known.row.callback;
	const deliveries = await changeQuestion(db, context, known, {
		status,
		answer_json: answer ? JSON.stringify(answer) : null,
		ended_at: at,
		remind_at: null,
		escalate_at: null,
		due_at: null,
		callback,
		callback_at: callback === 'pending' ? at : null,
	});
	deliveries.push(...(await endOnActivity(db, context, known)));
	return { deliveries, ended: [known.row.id] } satisfies Changed;
}

/** Ends it as its terms say when the deadline has passed. */
export function endByDeadline(db: Db, context: Context, known: LoadedQuestion): Promise<Changed> {
	const { deadline_at: at } = known.row;
	const { default: choice } = toTerms(known.row);
	const end: End =
		choice === undefined
			? { status: 'expired' }
			: { status: 'answered', answer: { choice, by: 'deadline', at: isoTime(at) } };
	return endQuestion(db, context, known, end, at);
}

/**
 * Decides about a question in a write of its account. Once its deadline has passed, it counts as ended, even if that
 * is not stored yet.
 * @param decide ends it, if it is still open. @returns the answer to the request
 * @throws what `decide` throws, without storing anything
 */
export async function decideOn<A>(
	context: Context,
	accountId: string,
	id: string,
	decide: (
		db: Db,
		known: LoadedQuestion | undefined,
		end: (end: End) => Promise<void>,
		time: number,
	) => Promise<A>,
): Promise<A> {
	const { answer, changed } = await context.database.write(accountId, async (db) => {
		const known = await loadQuestion(db, accountId, id);
		const time = await timeOf(db, context);
		let changed = NOTHING;
		if (known?.row.status === 'open' && known.row.deadline_at <= time)
			changed = await endByDeadline(db, context, known);
		const end = async (how: End) => {
			if (known) changed = await endQuestion(db, context, known, how, time);
		};
		return { answer: await decide(db, known, end, time), changed };
	});
	tell(context, accountId, changed);
	return answer;
}

/** After the commit: wakes what waits for the end, and begins the deliveries. */
export function tell(context: Context, accountId: string, { deliveries, ended }: Changed): void {
	for (const id of ended) context.questionWaits.changed(id);
	// No response waits for the push services.
	void context.outbox.deliverNow(deliveries);
	if (deliveries.length > 0 || ended.length > 0) context.openPages.accountChanged(accountId);
}
