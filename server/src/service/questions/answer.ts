import {
	type Answerer,
	withCurrentState,
	type LoadedQuestion,
	loadWhyNot,
	parseNotification,
	toState,
} from './question.ts';
import { answerWords } from '../../contract/answer-words.ts';
import {
	MAX_ANSWER,
	type PersonAnswer,
	type PhoneAnswer,
	type PhoneAnswerResponse,
	type QuestionAnswer,
	type QuestionResponse,
	type QuestionStatus,
} from '../../contract/questions.ts';
import { codePoints, shortened } from '../../contract/text.ts';
import { deliveryOfQuestion } from '../../store/questions.ts';
import { type Db, fromJson } from '../../store/schema.ts';
import { recordTap, tapOfDevice } from '../../store/taps/taps.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import type { Device } from '../phones/pairing.ts';
import { conflict, forbidden, invalidField, notFound, type Refusal } from '../refusal.ts';
import { decideOn, type QuestionEnd } from './change.ts';

export function questionNotFound(): Refusal {
	return notFound(
		'Question not found',
		'There is no question with this id, or this key did not ask it. Its history may have been deleted.',
	);
}

/** A person who answers, on a phone or in the console. */
interface Person extends Answerer {
	user: string;
	device: string | null;
}

/** The message for an answer that comes too late. */
const ENDED: Record<Exclude<QuestionStatus, 'open'>, string> = {
	answered: 'This has already been answered.',
	expired: 'The time to answer this is over.',
	withdrawn: 'This question was withdrawn.',
};

/** Says why an ended question accepts no answer. */
function wordsForEnd({ row }: LoadedQuestion): string {
	const { status } = row;
	if (status === 'open') throw new Error('An open question has not ended');
	const { answer } = parseNotification(row);
	if (status !== 'answered' || !answer) return ENDED[status];
	return `Already answered: ${answerWords(answer, `${answer.at.slice(11, 16)} UTC`)}. This changed nothing.`;
}

/** The answer of a person. @throws Refusal `invalid` if the question does not ask for it */
function toAnswer({ row }: LoadedQuestion, answer: PersonAnswer, person: Person, time: number) {
	const { choice, text } = answer;
	const { user, device } = person;
	const { choices, text: typed } = parseNotification(row).question;
	const by = { by: { user, device }, at: isoTime(time) };
	if (choice !== undefined) {
		if (choices?.some(({ id }) => id === choice)) return { choice, ...by };
		throw invalidField('choice', 'must be the id of one of its choices');
	}
	if (!typed) throw invalidField('text', 'cannot be sent: this question does not accept text');
	const most = typed.max_length ?? MAX_ANSWER;
	if (text === undefined || codePoints(text) > most)
		throw invalidField('text', `must be at most ${most} characters long`);
	return { text, ...by } satisfies QuestionAnswer;
}

/** Decides the answer of a person. @throws Refusal `invalid` if the question does not ask for it */
export async function answerAs(
	question: LoadedQuestion,
	{ db, answer, person }: { db: Db; answer: PersonAnswer; person: Person },
	end: (end: QuestionEnd) => Promise<void>,
	time: number,
): Promise<PhoneAnswerResponse> {
	const { row, people } = question;
	const respond = (outcome: PhoneAnswerResponse['outcome'], message: string, more = {}) => ({
		outcome,
		message,
		question: { ...withCurrentState(parseNotification(row), row, people).question, ...more },
	});
	if (row.status !== 'open') return respond('refused', wordsForEnd(question));
	const why_not = (await loadWhyNot(db, [question], person))(question);
	if (why_not !== undefined) return respond('refused', why_not, { why_not });
	await end({ status: 'answered', answer: toAnswer(question, answer, person, time) });
	const { answer: shown } = parseNotification(row);
	return respond('answered', shown ? `${answerWords(shown)}.` : 'Answered.');
}

/**
 * POST /device/questions/{question_id}/answer. A report repeated with the same `tap_id` gets the same response.
 * @throws Refusal `not_found`, or `invalid` if the question does not ask for it
 */
export function answerOnPhone(
	context: Context,
	device: Device,
	id: string,
	{ tap_id: tapId, ...answer }: PhoneAnswer,
): Promise<PhoneAnswerResponse> {
	const { account_id: accountId, user_name: user, name } = device;
	return decideOn(context, accountId, id, async ({ db, question, end, time }) => {
		const earlier = await tapOfDevice(db, device.id, tapId);
		const same = fromJson<PhoneAnswerResponse>(earlier?.outcome_json ?? null);
		if (same && earlier?.history_id === id) return same;
		if (earlier) throw invalidField('tap_id', 'must be new for each answer');
		if (!question || !(await deliveryOfQuestion(db, question.row.message_id, device.id)))
			throw notFound('Question not found', 'This phone does not have this question.');
		const person = { userId: device.user_id, deviceId: device.id, user, device: name };
		const response = await answerAs(question, { db, answer, person }, end, time);
		const chosen = response.question.choices?.find(({ id }) => id === answer.choice)?.title;
		await recordTap(db, {
			device_id: device.id,
			id: tapId,
			history_id: id,
			user_name: user,
			device_name: name,
			button: chosen ?? shortened(answer.text ?? '', 64),
			outcome_json: JSON.stringify(response),
			created_at: context.now(),
		});
		return response;
	});
}

/** True for the key that asked, and for keys without channel limits. */
export const mayRead = ({ keyId, channels }: Caller, { row }: LoadedQuestion) =>
	row.api_key_id === keyId || channels === null;

/**
 * POST /questions/{question_id}/answer: what was entered at the link of a question.
 * @throws Refusal `not_found`, `forbidden` for another key or a question without a link, or `conflict` when it has
 *         ended
 */
export function answerByForm(
	context: Context,
	caller: Caller,
	id: string,
	fields: Record<string, unknown>,
): Promise<QuestionResponse> {
	return decideOn(context, caller.accountId, id, async ({ question, end, time }) => {
		if (!question || !mayRead(caller, question)) throw questionNotFound();
		const { row } = question;
		if (row.api_key_id !== caller.keyId)
			throw forbidden('Forbidden', 'Only the key that asked this question can report its form.');
		if (!parseNotification(row).question.link)
			throw forbidden(
				'No form',
				'This question has no link. Only people can answer it, on their phones or in the console.',
			);
		if (row.status !== 'open') throw conflict('Question ended', wordsForEnd(question));
		await end({ status: 'answered', answer: { fields, by: 'form', at: isoTime(time) } });
		return { success: true as const, ...toState(question) };
	});
}

/**
 * DELETE /questions/{question_id}. One that has ended is unchanged.
 * @throws Refusal `not_found`
 */
export function withdrawByKey(context: Context, caller: Caller, id: string) {
	return decideOn(context, caller.accountId, id, async ({ question, end }) => {
		if (!question || !mayRead(caller, question)) throw questionNotFound();
		const { status, api_key_id: asker } = question.row;
		// A key that withdraws its own question needs no callback.
		if (status === 'open')
			await end({ status: 'withdrawn', needsNoCallback: asker === caller.keyId });
		return { success: true as const, ...toState(question) };
	});
}

/** Withdraws a question of this key that is still open, since nobody waits for its answer anymore. */
export function withdrawAbandoned(context: Context, caller: Caller, id: string) {
	return decideOn(context, caller.accountId, id, async ({ question, end }) => {
		if (question?.row.api_key_id === caller.keyId && question.row.status === 'open')
			await end({ status: 'withdrawn', needsNoCallback: true });
	});
}
