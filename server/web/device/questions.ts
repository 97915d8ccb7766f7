import type { CallbackState, QuestionAnswer, ShownQuestion } from '../../src/contract/questions.ts';
import type { ShownDevice } from '../../src/contract/device.ts';
import type { Answer, Notification as Push } from '../../src/contract/shown.ts';
import { answerText } from './answers.ts';
import { clockTime, DAY, HOUR, MINUTE } from './times.ts';

/** Milliseconds that an ended question stays on the lock screen, as on the server. */
const STAYS = HOUR;

/** When an ended question leaves the lock screen, on the server's clock; undefined for everything else. */
export function leavesAt({ question }: Push): number | undefined {
	return question?.ended_at === undefined ? undefined : Date.parse(question.ended_at) + STAYS;
}

/** True for two deliveries of one question: its reminder is another push. */
export function asksSame(a: Push, b: Push): boolean {
	if (!a.question || !b.question) return false;
	return a.question.question_id === b.question.question_id;
}

/** True if an open question shows what its Live Activity shows, and more ways to answer. */
export function isAsked(activityId: string, questions: ReadonlyArray<{ push: Push }>): boolean {
	return questions.some(
		({ push: { question } }) => question?.status === 'open' && question.activity_id === activityId,
	);
}

/** The person whose phone it is; undefined if not known, as in a state that an older page saved. */
export function ownerOf(device: Partial<ShownDevice> | undefined): string | undefined {
	return device?.user?.id;
}

/** True if the person may answer; the server decides it again. `userId` undefined: not known. */
export function mayAnswer(
	{ answerable_by: people, why_not: whyNot }: ShownQuestion,
	userId: string | undefined,
): boolean {
	if (whyNot !== undefined) return false;
	return !people || userId === undefined || people.some(({ id }) => id === userId);
}

const NAMES = new Intl.ListFormat('en');

/** “Only Ada and Grace may answer.”, or why this phone may not. @param others who may answer if nobody is named */
export function whoWords(
	{ answerable_by: people, why_not: whyNot }: ShownQuestion,
	others = 'Everybody who got it may answer.',
): string {
	if (whyNot !== undefined) return whyNot;
	if (!people) return others;
	if (people.length === 0) return 'Nobody can answer anymore.';
	return `Only ${NAMES.format(people.map(({ name }) => name))} may answer.`;
}

/** Units of the time left, with their milliseconds. */
const UNITS = [
	[DAY, 'day'],
	[HOUR, 'hour'],
	[MINUTE, 'minute'],
	[1_000, 'second'],
] as const;

const counted = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`;

/**
 * “3 hours left”, with minutes if they matter, and what the answer is then. Never more than the time left, and at most
 * a tenth less. Empty while nobody waits for a deadline. `now`: on the server's clock.
 */
export function timeLeft(
	{ deadline_at: deadline, deadline_choice: byDefault, choices, ...question }: ShownQuestion,
	now: number,
): string {
	const left = Date.parse(deadline) - now;
	if (question.is_open_ended && left > DAY) return '';
	const title = choices?.find(({ id }) => id === byDefault)?.title;
	const then = title === undefined ? '' : `, then “${title}” is the answer`;
	const index = UNITS.findIndex(([length]) => left >= length);
	const [length, unit] = UNITS[index] ?? UNITS[0];
	const [nextLength, nextUnit] = UNITS[index + 1] ?? UNITS[0];
	if (left <= 0) return 'Time is up';
	if (left < MINUTE) return `Less than a minute left${then}`;
	const rest = left % length;
	const more = rest * 10 < left ? '' : ` ${counted(Math.floor(rest / nextLength), nextUnit)}`;
	return `${counted(Math.floor(left / length), unit)}${more} left${then}`;
}

/** What was answered, as people read it. */
function toWords({ choices }: ShownQuestion, { choice, text = '' }: QuestionAnswer): string {
	return choices?.find(({ id }) => id === choice)?.title ?? text;
}

/** The answer of a person, in the form that other notifications use; undefined without one. */
export function personsAnswer(question: ShownQuestion): Answer | undefined {
	const { answer } = question;
	if (!answer || typeof answer.by === 'string') return undefined;
	const { by, at } = answer;
	const button = toWords(question, answer);
	const typed = answer.text === undefined ? undefined : { typed: true as const };
	return { button, ...typed, by: by.user, device: by.device ?? 'Console', at, final: true };
}

const CALLBACK: Partial<Record<CallbackState, string>> = {
	pending: 'The workflow has not been told yet.',
	over: 'The workflow had already ended.',
	refused: 'The workflow did not accept the answer.',
};

/**
 * How the question ended, in one or two sentences; undefined while it is open. `now`: on this device's clock.
 */
export function endWords(question: ShownQuestion, now: number): string | undefined {
	const how = howItEnded(question, now);
	if (how === undefined) return undefined;
	const told = CALLBACK[question.callback];
	return told === undefined ? how : `${how}. ${told}`;
}

function howItEnded(question: ShownQuestion, now: number): string | undefined {
	const { status, answer, ended_at: endedAt } = question;
	if (status === 'open') return undefined;
	const persons = personsAnswer(question);
	if (persons) return answerText(persons, now);
	const time = endedAt === undefined ? '' : `, ${clockTime(Date.parse(endedAt), now)}`;
	if (status === 'withdrawn') return `Withdrawn${time}`;
	if (status === 'expired') return `Expired without an answer${time}`;
	if (answer?.by === 'deadline')
		return `“${toWords(question, answer)}” because nobody answered in time${time}`;
	return `Answered in the form${time}`;
}
