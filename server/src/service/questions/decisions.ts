import { DEADLINE_SECONDS, type QuestionRequest } from '../../contract/questions.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { NewQuestion, UserRow } from '../../store/schema.ts';
import { type Audience, decideAudience } from '../sending/audience.ts';
import type { SendingAccount } from '../sending/account.ts';
import type { Board } from '../sending/board.ts';
import { type Caller, isoTime } from '../context.ts';
import { requireShare } from '../keys-and-channels/key-scope.ts';
import { invalidField, Refusal } from '../refusal.ts';
import type { Asking, QuestionToStore } from './asking.ts';
import { type QuestionToAsk, showOnActivity } from './on-activity.ts';
import type { Terms } from './question.ts';

/** The deadline in milliseconds since 1970. @throws Refusal `invalid` if it is too early or too late */
export function toDeadline({ deadline }: QuestionRequest, time: number): number {
	const { least, most } = DEADLINE_SECONDS;
	if (deadline?.at === undefined) return time + (deadline?.after_seconds ?? most) * 1_000;
	const at = Date.parse(deadline.at);
	if (at >= time + least * 1_000 && at <= time + most * 1_000) return at;
	throw invalidField('deadline.at', 'must be 30 seconds to 30 days from now');
}

/**
 * The people who may answer.
 * @throws Refusal `invalid` for an unknown name, or `no_recipients` if none of them is reached. A key limited to
 *         channels always gets the latter: it must not learn who else is in the account.
 */
function findPeople(
	caller: Caller,
	names: readonly string[],
	{ people }: Asking,
	reached: readonly Audience[],
): Array<Pick<UserRow, 'id' | 'name'>> {
	const found = people.filter(
		({ account_id: id, name }) => id === caller.accountId && names.includes(name),
	);
	const ids = new Set(reached.flatMap(({ devices }) => devices.map(({ user_id: id }) => id)));
	const isReached = ({ id }: Pick<UserRow, 'id'>) => ids.has(id);
	const allowed = caller.channels ? found.filter(isReached) : found;
	const unknown = names.filter((name) => !allowed.some((person) => person.name === name));
	if (unknown.length > 0 && !caller.channels)
		throw invalidField(
			'answerable_by',
			`names people who are not in this account: ${unknown.join(', ')}`,
		);
	if (unknown.length === 0 && allowed.some(isReached))
		return allowed.map(({ id, name }) => ({ id, name }));
	const missed = caller.channels ? unknown : names;
	throw new Refusal(
		'no_recipients',
		'Nobody may answer',
		`Neither target nor escalate reaches a phone of ${missed.join(', ')}, so nobody could answer. Name people whom they reach, or target their channels.`,
		{ effective_channel_slugs: reached[0]?.slugs ?? null },
	);
}

/**
 * Decides a question that a push asks, and counts it as open.
 * @returns `onActivity`: the messages of the Live Activity that shows it; none: it is a notification
 * @throws Refusal `invalid`, `forbidden`, `no_recipients` or `too_many`, without changing the board
 */
export function decideQuestion(board: Board, account: SendingAccount, asks: QuestionToAsk) {
	const { caller, question, audience, id } = asks;
	const { asking, settings } = board;
	if (!asking) throw new Error('The board was loaded without question data');
	const { choices, text, link, answerable_by: names, remind, escalate, callback } = question;
	const { accountId } = caller;
	const { time } = asking;
	const used = asking.open.get(accountId) ?? { all: 0, limited: 0 };
	requireShare(caller, used, {
		most: settings.maxOpenQuestions,
		of: 'open questions',
		advice: 'BECKON_QUESTIONS_OPEN is the limit. Withdraw some, or wait for answers.',
	});
	const deadline = toDeadline(question, time);
	const escalated =
		escalate &&
		decideAudience(account, caller, escalate.target.channels, 'escalate.target.channels');
	const people =
		names && findPeople(caller, names, asking, escalated ? [audience, escalated] : [audience]);
	const remindAt = remind ? time + remind.every_minutes * MINUTE_MS : null;
	const escalateAt = escalate ? time + escalate.after_minutes * MINUTE_MS : null;
	const onActivity = showOnActivity(board, account, asks);
	const activity = onActivity?.terms;
	const { choice } = question.deadline ?? {};
	const terms: Terms = { remind, escalate, default: choice, callback: callback?.url, activity };
	const limited = used.limited + (caller.channels ? 1 : 0);
	asking.open.set(accountId, { all: used.all + 1, limited });
	const state = {
		status: 'open' as const,
		callback: callback ? ('pending' as const) : ('none' as const),
	};
	const asked: QuestionToStore = {
		row: {
			id,
			account_id: accountId,
			api_key_id: caller.keyId,
			terms_json: JSON.stringify(terms),
			...state,
			is_restricted: people ? 1 : 0,
			created_at: time,
			deadline_at: deadline,
			remind_at: remindAt,
			reminders_left: remind?.times ?? 0,
			escalate_at: escalateAt,
			escalated_json: null,
			due_at: firstDue({ deadline_at: deadline, remind_at: remindAt, escalate_at: escalateAt }),
			answer_json: null,
			ended_at: null,
			callback_at: null,
		},
		people: (people ?? []).map((person) => person.id),
		shown: {
			question_id: id,
			...state,
			...(choices && { choices }),
			...(text && { text }),
			...(link && { link }),
			...(people && { answerable_by: people }),
			deadline_at: isoTime(deadline),
			...(!question.deadline && { is_open_ended: true as const }),
			...(choice !== undefined && { deadline_choice: choice }),
			...(activity && { activity_id: activity.id }),
		},
	};
	return { asked, onActivity: onActivity?.messages ?? [] };
}

/** When something is first due for a question: a reminder, its escalation or its deadline. */
export function firstDue({
	deadline_at: deadline,
	remind_at: remind,
	escalate_at: escalate,
}: Pick<NewQuestion, 'deadline_at' | 'remind_at' | 'escalate_at'>): number {
	return Math.min(deadline, remind ?? Infinity, escalate ?? Infinity);
}
