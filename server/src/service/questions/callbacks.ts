import type { CallbackState } from '../../contract/questions.ts';
import type { CallbackResult } from '../../delivery/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { dueCallbacks, updateQuestion } from '../../store/questions.ts';
import type { QuestionRow } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, timeOf } from '../context.ts';
import type { LaterKind } from '../later/later.ts';
import { conflict } from '../refusal.ts';
import { questionNotFound } from './answer.ts';
import { changeQuestion, announceAndDeliver } from './change.ts';
import {
	auditName,
	type LoadedQuestion,
	loadQuestion,
	loadQuestions,
	toState,
	toTerms,
} from './question.ts';

/**
 * Milliseconds until a call whose outcome is not known is repeated, even after a kill: n8n 1 acknowledges before it
 * resumes. A call takes 10 seconds at most.
 */
const LEASE_MS = 30_000;

/** Milliseconds before each further try while the asking workflow is still busy; the last one repeats. */
const BUSY_PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];
const BUSY_FOR_MS = 5 * MINUTE_MS;

const FIRST_PAUSE_MS = 5_000;

const REFUSED_AFTER = 3;
const REFUSED_PAUSE_MS = 2_000;

const MAX_PAUSE_MS = HOUR_MS;
const KEPT_TRYING_MS = DAY_MS;

type CallbackStep = { state: Exclude<CallbackState, 'none' | 'pending'> } | { pauseMs: number };

/**
 * What a callback's response means (docs/api-decisions.md "Questions").
 * @param tries including this one
 * @param sinceMs milliseconds since the question ended
 */
export function afterCallback(
	result: CallbackResult,
	tries: number,
	sinceMs: number,
): CallbackStep {
	if (result.kind === 'not_allowed')
		return tries >= REFUSED_AFTER ? { state: 'refused' } : { pauseMs: REFUSED_PAUSE_MS * tries };
	const pauseOf = (least: number) => Math.min(least * 2 ** Math.min(tries - 1, 20), MAX_PAUSE_MS);
	let pauseMs = pauseOf(result.kind === 'unknown' ? LEASE_MS : FIRST_PAUSE_MS);
	if (result.kind === 'responded') {
		const { status, isPage } = result;
		if (status === 410 || saysItHasEnded(result)) return { state: 'over' };
		// A 200 with an HTML page comes from a proxy in front of n8n, or from n8n while it starts.
		if (status < 300 && !(isPage && status === 200)) return { state: 'delivered' };
		if (status === 409 && sinceMs < BUSY_FOR_MS)
			pauseMs = BUSY_PAUSES_MS[Math.min(tries, BUSY_PAUSES_MS.length) - 1] ?? LEASE_MS;
	}
	return sinceMs >= KEPT_TRYING_MS ? { state: 'refused' } : { pauseMs };
}

/**
 * What n8n says about an execution that has ended or is gone, or that no longer waits for this answer: the message of
 * its JSON, or the title of its page (n8n's waiting-webhooks.ts). Any other response may come from a proxy.
 */
export const ENDED_IN_N8N = [
	{ n8n: [1, 2], status: 404, text: /^The execution "[^"]*"? does not exist\.$/ },
	{ n8n: [1, 2], status: 409, text: /^The execution "[^"]*"? has finished already\.$/ },
	{ n8n: [1, 2], status: 409, text: /^The execution "[^"]*"? has finished with error\.$/ },
	{ n8n: [1, 2], status: 200, text: /^No action required$/ },
] as const;

function saysItHasEnded({ status, text = '' }: { status: number; text?: string | undefined }) {
	return ENDED_IN_N8N.some((ended) => ended.status === status && ended.text.test(text));
}

/** Tells workflows that their questions have ended: many deadlines may pass in one minute. */
export const callbacks: LaterKind<QuestionRow> = {
	what: 'callbacks',
	rows: dueCallbacks,
	calls: { perOwner: 10, perAccount: 20, total: 200 },
	async handle(db, { context, accountId, rows, time }) {
		const ids = rows.map(({ id }) => id);
		const questions = await loadQuestions(db, accountId, { ids, limit: ids.length });
		for (const { row } of questions) {
			const leased = { callback_tries: row.callback_tries + 1, callback_at: time + LEASE_MS };
			await updateQuestion(db, row.id, leased);
			Object.assign(row, leased);
		}
		return { calls: questions.map((question) => () => callBack(context, question)) };
	},
};

async function callBack(context: Context, ended: LoadedQuestion) {
	const { row } = ended;
	const { id, account_id: accountId, callback_tries: tries, callback_at: leasedUntil } = row;
	const { callback: url } = toTerms(row);
	if (url === undefined) throw new Error(`Question ${id} has no callback`);
	const result = await context.webhooks.callBack(url, toState(ended));
	const lastCall = result.kind === 'responded' ? result.status : result.kind;
	const changed = await context.database.write(accountId, async (db) => {
		const question = await loadQuestion(db, accountId, id);
		// Another server has called it since, somebody repeats the callback, or its history was deleted.
		if (question?.row.callback_tries !== tries || question.row.callback_at !== leasedUntil)
			return undefined;
		const time = await timeOf(db, context);
		const step = afterCallback(result, tries, time - (row.ended_at ?? time));
		const change =
			'state' in step
				? { callback: step.state, callback_at: null }
				: { callback_at: time + step.pauseMs };
		const terms_json = JSON.stringify({ ...toTerms(question.row), lastCall });
		return {
			step,
			deliveries: await changeQuestion(db, context, question, { ...change, terms_json }),
		};
	});
	if (!changed) return;
	const { step, deliveries } = changed;
	const end = 'state' in step ? step.state : 'again';
	const level = end === 'delivered' || end === 'over' ? 'debug' : 'info';
	context.logger?.[level]({ question: id, tries, answer: lastCall }, 'callback made');
	context.operatorLog?.calledBack(id, lastCall, end);
	announceAndDeliver(context, accountId, { deliveries, ended: [] });
	// The console shows the callback's response; phones do not.
	context.openPages.accountChanged(accountId);
}

/**
 * Calls the callback of an ended question again, whatever the outcome of the last call.
 * @throws Refusal `not_found`, or `conflict` while the question is open, or if it has no callback
 */
export async function repeatCallback(context: ActingContext, accountId: string, id: string) {
	const deliveries = await context.database.write(accountId, async (db) => {
		const question = await loadQuestion(db, accountId, id);
		if (!question) throw questionNotFound();
		const { status, callback, ended_at: endedAt } = question.row;
		if (status === 'open')
			throw conflict('Question open', 'It is still open. Its workflow is told when it ends.');
		if (callback === 'none')
			throw conflict(
				'No callback',
				'This question has no callback, or the key that asked it withdrew it.',
			);
		await record(db, context, accountId, 'callback_repeated', auditName(question.row));
		const due = { callback: 'pending', callback_tries: 0, callback_at: endedAt } as const;
		return changeQuestion(db, context, question, due);
	});
	announceAndDeliver(context, accountId, { deliveries, ended: [] });
}
