import type { CallbackState } from '../../contract/questions.ts';
import type { CallbackResult } from '../../delivery/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { Groups } from '../../groups.ts';
import { dueCallbacks, updateQuestion } from '../../store/questions.ts';
import type { Context } from '../context.ts';
import { changeQuestion, tell } from './change.ts';
import { type Known, loadQuestion, timeOf, toState, toTerms } from './question.ts';

/** Callbacks under way at the same time, of an account and of all: many deadlines may pass in one minute. */
const AT_ONCE = { account: 10, all: 100 };

/**
 * Milliseconds until a call whose outcome is not known is made again, also after a kill: n8n 1 acknowledges before it
 * resumes. A call takes 10 seconds at most.
 */
const LEASE_MS = 30_000;

/** While what asked is still busy, milliseconds until the next tries; the last one repeats. */
const BUSY_PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];
const BUSY_FOR_MS = 5 * MINUTE_MS;

const REFUSED_AFTER = 3;
const REFUSED_PAUSE_MS = 2_000;

const LONGEST_PAUSE_MS = HOUR_MS;
const KEPT_TRYING_MS = DAY_MS;

export type CallbackStep =
	{ state: Exclude<CallbackState, 'none' | 'pending'> } | { pauseMs: number };

/**
 * What an answer means (docs/api-decisions.md "Questions").
 * @param tries including this one
 * @param sinceMs milliseconds since the question ended
 */
export function afterCallback(
	result: CallbackResult,
	tries: number,
	sinceMs: number,
): CallbackStep {
	const answered = result.kind === 'answered' ? result.status : undefined;
	const status = isStarting(result) ? 503 : answered;
	const later = (least: number): CallbackStep => {
		if (sinceMs >= KEPT_TRYING_MS) return { state: 'over' };
		return { pauseMs: Math.min(least * 2 ** Math.min(tries - 1, 20), LONGEST_PAUSE_MS) };
	};
	if (status === undefined || status === 408 || status === 429 || status >= 500) {
		if (result.kind === 'not_allowed') return refused(tries);
		return later(result.kind === 'unknown' ? LEASE_MS : (BUSY_PAUSES_MS[2] ?? 0));
	}
	if (status < 300) {
		// n8n answers with a page when the execution has ended, or waits elsewhere.
		const isPage = result.kind === 'answered' && result.isPage && status === 200;
		return { state: isPage ? 'over' : 'delivered' };
	}
	if (status === 404 || status === 410) return { state: 'over' };
	if (status !== 409) return refused(tries);
	if (sinceMs >= BUSY_FOR_MS) return { state: 'over' };
	return { pauseMs: BUSY_PAUSES_MS[Math.min(tries, BUSY_PAUSES_MS.length) - 1] ?? LEASE_MS };
}

/** Bytes. No page is shorter. */
const SHORTEST_PAGE = 100;

/**
 * True for an n8n that starts: until it has its webhooks, it answers 200 with a sentence as HTML, then 404 with a page
 * of its web server. Its answers about executions are longer pages, and JSON.
 */
function isStarting(result: CallbackResult): boolean {
	if (result.kind !== 'answered' || !result.isPage) return false;
	const { status, length = SHORTEST_PAGE } = result;
	return status === 404 || (status === 200 && length < SHORTEST_PAGE);
}

function refused(tries: number): CallbackStep {
	return tries >= REFUSED_AFTER ? { state: 'refused' } : { pauseMs: REFUSED_PAUSE_MS * tries };
}

/** Tells those who asked that their questions have ended. One server makes each call: it takes a lease first. */
export class QuestionCallbacks {
	readonly #onError: (error: unknown) => void;
	readonly #underWay = new Groups<Promise<void>>();

	constructor(onError: (error: unknown) => void) {
		this.#onError = onError;
	}

	/** Begins the calls that are due. */
	async begin(context: Context): Promise<void> {
		const { read } = context.database;
		const room = { ofAccount: AT_ONCE.account, limit: AT_ONCE.all - this.#underWay.members };
		const due = await dueCallbacks(read, await timeOf(read, context), room);
		for (const { id, account_id: accountId } of due) {
			if ((this.#underWay.get(accountId)?.size ?? 0) >= AT_ONCE.account) continue;
			const known = await take(context, accountId, id);
			if (!known) continue;
			const call = callBack(context, known)
				// The lease ends, and the call is made again.
				.catch(this.#onError)
				.finally(() => this.#underWay.leave(accountId, call));
			this.#underWay.join(accountId, call);
		}
	}

	/** @returns once the outcomes of all calls are stored */
	async settle(): Promise<void> {
		await Promise.all([...this.#underWay.values()].flatMap((calls) => [...calls]));
	}
}

/** Takes a due callback, so that no other server makes it. */
function take(context: Context, accountId: string, id: string): Promise<Known | undefined> {
	return context.database.write(accountId, async (db) => {
		const known = await loadQuestion(db, accountId, id);
		const time = await timeOf(db, context);
		if (!known || known.row.callback_at === null || known.row.callback_at > time) return undefined;
		const taken = {
			callback_tries: known.row.callback_tries + 1,
			callback_at: time + LEASE_MS,
		};
		await updateQuestion(db, id, taken);
		Object.assign(known.row, taken);
		return known;
	});
}

async function callBack(context: Context, called: Known): Promise<void> {
	const { row } = called;
	const { id, account_id: accountId, callback_tries: tries } = row;
	const { callback: url } = toTerms(row);
	if (url === undefined) throw new Error(`Question ${id} has no callback`);
	const result = await context.webhooks.tell(url, toState(called));
	const changed = await context.database.write(accountId, async (db) => {
		const known = await loadQuestion(db, accountId, id);
		// Another server has taken it since, or its history was deleted.
		if (known?.row.callback_tries !== tries || known.row.callback_at === null) return undefined;
		const time = await timeOf(db, context);
		const step = afterCallback(result, tries, time - (row.ended_at ?? time));
		const change =
			'state' in step
				? { callback: step.state, callback_at: null }
				: { callback_at: time + step.pauseMs };
		return changeQuestion(db, context, known, change);
	});
	if (changed) tell(context, accountId, { deliveries: changed, ended: [] });
}
