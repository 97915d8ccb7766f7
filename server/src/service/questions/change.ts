import type { QuestionAnswer, QuestionStatus } from '../../contract/questions.ts';
import { updateQuestion } from '../../store/questions.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Db, QuestionRow } from '../../store/schema.ts';
import { updatePush } from '../sending/push-update.ts';
import { type Context, isoTime } from '../context.ts';
import { Refusal } from '../refusal.ts';
import {
	changedAsked,
	isChanged,
	type Known,
	loadQuestion,
	questionLane,
	timeOf,
	toAsked,
	toTerms,
} from './question.ts';

/** What a write has changed: the deliveries to attempt, and the question if its waiting requests must look. */
export interface Changed {
	deliveries: OutgoingDelivery[];
	questionIds: string[];
}

export const unchanged = (): Changed => ({ deliveries: [], questionIds: [] });

/** Stores changes of a question, and tells its phones if they see a difference. */
export async function changeQuestion(
	db: Db,
	context: Context,
	{ row, people }: Known,
	change: Partial<QuestionRow>,
): Promise<OutgoingDelivery[]> {
	await updateQuestion(db, row.id, change);
	Object.assign(row, change);
	const before = toAsked(row);
	const after = changedAsked(before, row, people);
	if (!isChanged(before, after)) return [];
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
export async function endQuestion(
	db: Db,
	context: Context,
	known: Known,
	{ status, answer, isUntold = false }: End,
	at: number,
): Promise<Changed> {
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
	return { deliveries, questionIds: [known.row.id] };
}

/** Ends it as its terms say when the deadline has passed. */
export function endByDeadline(db: Db, context: Context, known: Known): Promise<Changed> {
	const { deadline_at: at } = known.row;
	const { default: choice } = toTerms(known.row);
	const end: End =
		choice === undefined
			? { status: 'expired' }
			: { status: 'answered', answer: { choice, by: 'deadline', at: isoTime(at) } };
	return endQuestion(db, context, known, end, at);
}

/**
 * Decides about a question in a write of its account. If its deadline has passed, it has ended before, whether or
 * not that was stored.
 * @param decide the changes, and the answer to the request; the question may have ended
 * @throws what `decide` throws, without storing anything but the end by the deadline
 */
export async function decideOn<A>(
	context: Context,
	accountId: string,
	id: string,
	decide: (
		db: Db,
		known: Known | undefined,
		time: number,
	) => Promise<{ changed?: Changed; answer: A }>,
): Promise<A> {
	const { answer, changes } = await context.database.write(accountId, async (db) => {
		const known = await loadQuestion(db, accountId, id);
		const time = await timeOf(db, context);
		const isOver = known?.row.status === 'open' && known.row.deadline_at <= time;
		const ended = isOver ? await endByDeadline(db, context, known) : unchanged();
		const decided = await decide(db, known, time).then(
			(made) => ({ ...made, isMade: true as const }),
			(error: unknown) => {
				if (!isOver || !(error instanceof Refusal)) throw error;
				return { error, isMade: false as const };
			},
		);
		const changed = decided.isMade ? decided.changed : undefined;
		return { answer: decided, changes: [ended, changed ?? unchanged()] };
	});
	for (const changed of changes) tell(context, accountId, changed);
	if (!answer.isMade) throw answer.error;
	return answer.answer;
}

/** After the commit: wakes what waits for the change, and begins its deliveries. */
export function tell(
	context: Context,
	accountId: string,
	{ deliveries, questionIds }: Changed,
): void {
	if (deliveries.length === 0 && questionIds.length === 0) return;
	for (const id of questionIds) context.questionWaits.changed(id);
	// No response waits for the push services.
	void context.outbox.deliverNow(deliveries);
	context.openPages.accountChanged(accountId);
	if (questionIds.length > 0) context.questionCallbacks.look();
}
