import type {
	ConsoleQuestion,
	ConsoleQuestions,
	ConsoleQuestionsQuery,
	PersonAnswer,
	PhoneAnswerResponse,
} from '../../contract/questions.ts';
import { countOpen } from '../../store/questions.ts';
import { userById } from '../../store/people/users.ts';
import type { Db, MemberRow } from '../../store/schema.ts';
import { type ActingContext, actingMember, record } from '../audit.ts';
import { forbidden } from '../refusal.ts';
import { answerAs, questionNotFound, whyNot } from './answer.ts';
import { decideOn } from './change.ts';
import { type Known, loadQuestions, toAsked, toState } from './question.ts';

type Member = Pick<MemberRow, 'role' | 'user_id'>;

/** Who acts; a command acts as an owner. */
const memberOf = async (context: ActingContext, db: Db, accountId: string): Promise<Member> =>
	(await actingMember(db, context, accountId)) ?? { role: 'owner', user_id: null };

const mayAnswer = (known: Known, { user_id: userId }: Pick<Member, 'user_id'>) =>
	known.row.status === 'open' && userId !== null && whyNot(known, userId) === undefined;

const mayWithdraw = (known: Known, member: Member) =>
	known.row.status === 'open' && (member.role === 'owner' || mayAnswer(known, member));

function shown(known: Known, member: Member): ConsoleQuestion {
	const { row } = known;
	const { question, message } = toAsked(row);
	return {
		...toState(known),
		shown: question,
		message: message ?? null,
		asked_by: row.key_name,
		may_answer: mayAnswer(known, member),
		may_withdraw: mayWithdraw(known, member),
	};
}

/** GET /console/api/questions: open or past ones, newest first. */
export async function questionsForConsole(
	context: ActingContext,
	accountId: string,
	{ status, after, limit }: ConsoleQuestionsQuery,
): Promise<ConsoleQuestions> {
	const db = context.database.read;
	const member = await memberOf(context, db, accountId);
	const found = await loadQuestions(db, accountId, {
		isOpen: status === 'open',
		after,
		limit: limit + 1,
	});
	const page = found.slice(0, limit);
	const [counted] = await countOpen(db, { accountIds: [accountId] });
	return {
		questions: page.map((known) => shown(known, member)),
		next: found.length > limit ? (page.at(-1)?.row.id ?? null) : null,
		open: counted?.open ?? 0,
	};
}

/**
 * POST /console/api/questions/{question_id}/answer: under the name of the member's person.
 * @throws Refusal `not_found`, `forbidden` for a member without a person, or `invalid`
 */
export function answerInConsole(
	context: ActingContext,
	accountId: string,
	id: string,
	answer: PersonAnswer,
): Promise<PhoneAnswerResponse> {
	return decideOn(context, accountId, id, async (db, known, end, time) => {
		if (!known) throw questionNotFound();
		const member = await actingMember(db, context, accountId);
		const user = member?.user_id ? await userById(db, accountId, member.user_id) : undefined;
		if (!user)
			throw forbidden(
				'No person',
				'Only people of this account can answer, and you are none of them yet. Pair a phone of your own first.',
			);
		const person = { userId: user.id, user: user.name, device: null };
		return answerAs(known, { answer, person }, end, time);
	});
}

/**
 * DELETE /console/api/questions/{question_id}: by owners, and by members who may answer. One that has ended is
 * unchanged.
 * @throws Refusal `not_found` or `forbidden`
 */
export function withdrawInConsole(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<void> {
	return decideOn(context, accountId, id, async (db, known, end) => {
		if (!known) throw questionNotFound();
		const member = await memberOf(context, db, accountId);
		if (known.row.status !== 'open') return;
		if (!mayWithdraw(known, member))
			throw forbidden('Forbidden', 'Only owners and the people who may answer can withdraw this.');
		await end({ status: 'withdrawn' });
		await record(db, context, accountId, 'question_withdrawn', auditName(known.row));
	});
}

/** By its id, which finds its state, and by the key that asked: the title is content. */
const auditName = ({ id, key_name: key }: Known['row']) => (key === null ? id : `${id} (${key})`);

/** Withdraws all open questions that a key has asked. */
export async function withdrawQuestionsOfKey(
	context: ActingContext,
	accountId: string,
	keyId: string,
): Promise<void> {
	const filter = { isOpen: true, keyId, limit: 1_000_000 };
	for (const { row } of await loadQuestions(context.database.read, accountId, filter))
		await withdrawInConsole(context, accountId, row.id);
}
