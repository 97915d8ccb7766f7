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
import { loadPage } from '../lists.ts';
import { forbidden } from '../refusal.ts';
import { answerAs, questionNotFound } from './answer.ts';
import {
	auditName,
	withCurrentState,
	type LoadedQuestion,
	loadQuestions,
	loadWhyNot,
	parseNotification,
	toState,
} from './question.ts';
import { decideOn } from './change.ts';

type Member = Pick<MemberRow, 'role' | 'user_id'>;

/** Who acts; a command acts as an owner. */
const memberOf = async (context: ActingContext, db: Db, accountId: string): Promise<Member> =>
	(await actingMember(db, context, accountId)) ?? { role: 'owner', user_id: null };

/** The person in whose name a member answers. */
async function findPerson(db: Db, accountId: string, { user_id: userId }: Member) {
	const user = userId === null ? undefined : await userById(db, accountId, userId);
	return user && { userId: user.id, user: user.name, device: null, joinedAt: user.created_at };
}

/** What a member may do with a question. */
interface Powers {
	/** Why they may not answer it while it is open. */
	whyNot: string | undefined;
	mayAnswer: boolean;
	mayWithdraw: boolean;
}

async function loadPowers(
	db: Db,
	accountId: string,
	questions: readonly LoadedQuestion[],
	member: Member,
): Promise<(question: LoadedQuestion) => Powers> {
	const refusalOf = await loadWhyNot(db, questions, await findPerson(db, accountId, member));
	return (question) => {
		const isOpen = question.row.status === 'open';
		const whyNot = isOpen ? refusalOf(question) : undefined;
		const mayAnswer = isOpen && whyNot === undefined;
		return { whyNot, mayAnswer, mayWithdraw: isOpen && (member.role === 'owner' || mayAnswer) };
	};
}

function toConsoleQuestion(question: LoadedQuestion, { whyNot, mayAnswer, mayWithdraw }: Powers) {
	const { row, people, channels } = question;
	const push = withCurrentState(parseNotification(row), row, people);
	// Anyone with the link can answer.
	const { link, ...shown } = push.question;
	return {
		...toState(question),
		shown: { ...shown, ...(whyNot && { why_not: whyNot }), ...(mayAnswer && link && { link }) },
		subtitle: push.subtitle,
		message: push.message,
		asked_by: row.key_name,
		channels: channels && [...channels],
		may_answer: mayAnswer,
		may_withdraw: mayWithdraw,
	} satisfies ConsoleQuestion;
}

/** GET /console/api/questions: open or past ones, newest first. */
export async function questionsForConsole(
	context: ActingContext,
	accountId: string,
	{ status, ...query }: ConsoleQuestionsQuery,
): Promise<ConsoleQuestions> {
	const db = context.database.read;
	const member = await memberOf(context, db, accountId);
	const page = await loadPage(
		query,
		(part) => loadQuestions(db, accountId, { isOpen: status === 'open', ...part }),
		({ row }) => row.id,
	);
	const [counted] = await countOpen(db, { accountIds: [accountId] });
	const powersOf = await loadPowers(db, accountId, page.entries, member);
	return {
		questions: page.entries.map((question) => toConsoleQuestion(question, powersOf(question))),
		next: page.next,
		open: counted?.all ?? 0,
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
	return decideOn(context, accountId, id, async ({ db, question, end, time }) => {
		if (!question) throw questionNotFound();
		const person = await findPerson(db, accountId, await memberOf(context, db, accountId));
		if (!person)
			throw forbidden(
				'No person',
				'Only people of this account can answer, and you are not one of them yet. Pair a phone of your own first.',
			);
		return answerAs(question, { db, answer, person }, end, time);
	});
}

/**
 * DELETE /console/api/questions/{question_id}: by owners, and by members who may answer. One that has ended is
 * unchanged.
 * @throws Refusal `not_found` or `forbidden`
 */
export function withdrawInConsole(context: ActingContext, accountId: string, id: string) {
	return decideOn(context, accountId, id, async ({ db, question, end }) => {
		if (!question) throw questionNotFound();
		const member = await memberOf(context, db, accountId);
		if (question.row.status !== 'open') return;
		const powersOf = await loadPowers(db, accountId, [question], member);
		if (!powersOf(question).mayWithdraw)
			throw forbidden('Forbidden', 'Only owners and the people who may answer can withdraw this.');
		await end({ status: 'withdrawn' });
		await record(db, context, accountId, 'question_withdrawn', auditName(question.row));
	});
}

/** Withdraws all open questions that a key has asked. */
export async function withdrawQuestionsOfKey(
	context: ActingContext,
	accountId: string,
	keyId: string,
) {
	const filter = { isOpen: true, keyId, limit: 1_000_000 };
	for (const { row } of await loadQuestions(context.database.read, accountId, filter))
		await withdrawInConsole(context, accountId, row.id);
}
