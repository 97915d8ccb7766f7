import { answerWords } from '../../src/contract/answer-words.ts';
import { type MessageModel, reaches } from './message-model.ts';

export type State = Record<string, unknown>;

/** The buttons of the question asked last; closed ones are gone with the next change. */
export interface Buttons {
	of: ModelQuestion;
	isClosed: boolean;
}

export interface ModelActivity {
	id: string;
	/** null: it was started without a stream, by a question. */
	key: string | null;
	startedAt: number;
	state: State;
	tags: string[];
	slugs: string[] | null;
	isRunning: boolean;
	buttons: Buttons | undefined;
}

export interface ModelQuestion {
	id: string;
	title: string;
	/** null: it went to everybody. */
	slugs: string[] | null;
	status: 'open' | 'answered' | 'expired' | 'withdrawn';
	/** What it was answered with, and by whom: the person with a phone, or the deadline. */
	answer: { choice: string; by: string } | undefined;
	/** The Live Activity that it was asked on. */
	shown: { activity: ModelActivity; key: string | null; keep: boolean } | undefined;
	deadlineAt: number;
	default: string | undefined;
	remind: { every: number; left: number; at: number } | undefined;
	escalate: { at: number; slugs: string[]; isDone: boolean } | undefined;
}

const dueAt = ({ deadlineAt, escalate, remind }: ModelQuestion) =>
	Math.min(
		deadlineAt,
		escalate && !escalate.isDone ? escalate.at : Infinity,
		remind && remind.left > 0 ? remind.at : Infinity,
	);

/** What its Live Activity says at the end. */
export function endWords({ status, answer }: ModelQuestion): string {
	if (status === 'withdrawn') return 'Withdrawn';
	if (!answer) return 'Nobody answered in time.';
	const { choice: button, by } = answer;
	return by === 'deadline'
		? `“${button}”, because nobody answered in time`
		: answerWords({ button, by });
}

/** A small model of questions, whose deliveries are pushes. */
export class QuestionModel {
	readonly all: ModelQuestion[] = [];
	readonly #messages: MessageModel;
	readonly #onEnd: (question: ModelQuestion) => void;

	/** @param onEnd ends its Live Activity, too */
	constructor(messages: MessageModel, onEnd: (question: ModelQuestion) => void) {
		this.#messages = messages;
		this.#onEnd = onEnd;
	}

	ask(question: ModelQuestion): void {
		this.all.push(question);
		this.#messages.push({ title: question.title, tags: [], slugs: question.slugs }, undefined);
	}

	/** The first end wins; the deadline comes before whatever is later. */
	end(
		question: ModelQuestion,
		status: ModelQuestion['status'],
		answer: ModelQuestion['answer'],
		now: number,
	): boolean {
		this.passDeadline(question, now);
		if (question.status !== 'open') return false;
		question.status = status;
		question.answer = answer;
		this.#onEnd(question);
		return true;
	}

	/** True if the phone in this channel got it. */
	isOn({ slugs, escalate }: ModelQuestion, channel: string): boolean {
		return (
			reaches(slugs, channel) || (escalate?.isDone === true && reaches(escalate.slugs, channel))
		);
	}

	/** What is due happens: the deadline, or else the escalation, or else a reminder. */
	settle(now: number): void {
		const due = this.all.filter((one) => one.status === 'open' && dueAt(one) <= now);
		for (const question of due.toSorted((a, b) => dueAt(a) - dueAt(b))) {
			this.passDeadline(question, now);
			if (question.status !== 'open') continue;
			const { title, slugs, escalate, remind } = question;
			if (escalate && !escalate.isDone && escalate.at <= now) {
				escalate.isDone = true;
				this.#messages.delivered.push({ title, tags: [], slugs: escalate.slugs });
			} else if (remind && remind.left > 0 && remind.at <= now) {
				const further = escalate?.isDone ? escalate.slugs : [];
				const all = slugs && [...slugs, ...further];
				this.#messages.delivered.push({ title, tags: [], slugs: all });
				remind.left -= 1;
				remind.at = now + remind.every;
			}
		}
	}

	/** Ends it if its time is over, as any look at it does. */
	passDeadline(question: ModelQuestion, now: number): void {
		if (question.status !== 'open' || question.deadlineAt > now) return;
		const choice = question.default;
		question.status = choice === undefined ? 'expired' : 'answered';
		question.answer = choice === undefined ? undefined : { choice, by: 'deadline' };
		this.#onEnd(question);
	}
}
