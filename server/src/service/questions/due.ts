import { MINUTE_MS } from '../../durations.ts';
import { scopeOfKey, toSlugs } from '../../store/keys-and-channels/api-keys.ts';
import { messageById } from '../../store/outbox/messages.ts';
import { dueQuestions } from '../../store/questions.ts';
import type { Db, QuestionRow } from '../../store/schema.ts';
import { decideAudience, isWithin, loadReach, toReachQuery } from '../sending/audience.ts';
import { deliverStored, loadReceivers, announceReplaced } from '../sending/stored-pushes.ts';
import { type Context, isoTime } from '../context.ts';
import type { LaterKind } from '../later/later.ts';
import { firstDue } from './decisions.ts';
import {
	type QuestionChanges,
	changeQuestion,
	endByDeadline,
	announceAndDeliver,
} from './change.ts';
import { type LoadedQuestion, loadQuestions, toTerms } from './question.ts';

/** Ends the questions whose deadline has passed, and sends the reminders and escalations that are due. */
export const questionTimes: LaterKind<QuestionRow> = {
	what: 'deadlines and reminders',
	rows: dueQuestions,
	async handle(db, { context, accountId, rows, time }) {
		const ids = rows.map(({ id }) => id);
		const changed: QuestionChanges = { deliveries: [], ended: [] };
		const questions = await loadQuestions(db, accountId, { ids, limit: ids.length });
		for (const question of questions.toSorted(byTime)) {
			if (question.row.deadline_at <= time) {
				const { deliveries, ended } = await endByDeadline(db, context, question);
				changed.deliveries.push(...deliveries);
				changed.ended.push(...ended);
			} else changed.deliveries.push(...(await deliverAgain(db, context, question, time)));
		}
		return {
			announce: () => {
				announceAndDeliver(context, accountId, changed);
				announceReplaced(context, changed.deliveries);
			},
		};
	},
};

const byTime = ({ row: a }: LoadedQuestion, { row: b }: LoadedQuestion) =>
	(a.due_at ?? 0) - (b.due_at ?? 0) || a.message_id - b.message_id;

/** Sends a question's escalation if that is due, otherwise a reminder, and schedules what comes next. */
async function deliverAgain(db: Db, context: Context, question: LoadedQuestion, time: number) {
	const { row } = question;
	const { remind, escalate } = toTerms(row);
	const isEscalation = escalate && row.escalate_at !== null && row.escalate_at <= time;
	const redeliveries = isEscalation
		? await loadEscalated(db, row, escalate.target.channels)
		: await loadReceivers(db, [row.message_id]);
	const deliveries = await deliverStored(db, context, redeliveries);
	const left = row.reminders_left - (isEscalation ? 0 : 1);
	const remindAt = isEscalation
		? row.remind_at
		: remind && left > 0
			? time + remind.every_minutes * MINUTE_MS
			: null;
	const next = {
		remind_at: remindAt,
		reminders_left: left,
		escalate_at: isEscalation ? null : row.escalate_at,
		...(isEscalation && {
			escalated_json: JSON.stringify({ at: isoTime(time), devices_notified: deliveries.length }),
		}),
	};
	const due_at = firstDue({ deadline_at: row.deadline_at, ...next });
	await changeQuestion(db, context, question, { ...next, due_at });
	return deliveries;
}

/** The question with the phones that its escalation reaches. */
async function loadEscalated(
	db: Db,
	{ account_id: accountId, api_key_id: keyId, message_id: id }: LoadedQuestion['row'],
	slugs: readonly string[],
) {
	const message = await messageById(db, id);
	const scope = keyId === null ? undefined : await scopeOfKey(db, keyId);
	const caller = { accountId, keyId, channels: scope ? toSlugs(scope) : null };
	const reach = (await loadReach(db, [toReachQuery(caller, slugs)])).get(accountId);
	if (!message || !reach) return [];
	// Since it was asked, a channel may have been deleted, and a phone may have left the key's channels.
	const reached = slugs.filter((slug) => reach.channels.has(slug) && isWithin(caller, slug, reach));
	return [{ message, ...decideAudience(reach, caller, reached) }];
}
