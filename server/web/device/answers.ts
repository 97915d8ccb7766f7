import { answerWords } from '../../src/contract/answer-words.ts';
import type { TapResponse } from '../../src/contract/device.ts';
import type { Answer, Notification as Push } from '../../src/contract/shown.ts';
import { day } from './times.ts';

/** True if the push awaits an answer: it has a webhook button, and none has been tapped. */
export function isQuestion({ actions = [], answer }: Push): boolean {
	return answer === undefined && actions.some(({ type, closed }) => type === 'webhook' && !closed);
}

/** “Approved by Ada, 9:31”, with the day unless it is today. `now`: on this device's clock. */
export function answerText(answer: Answer, now: number): string {
	const at = new Date(answer.at);
	const isToday = at.toDateString() === new Date(now).toDateString();
	const time = at.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
	return answerWords(answer, isToday ? time : `${day(at, now)}, ${time}`);
}

/** The text shown after a tap: the server's words, with the time in this device's time zone. */
export function tapText(
	{ outcome, message, answer }: Pick<TapResponse, 'outcome' | 'message' | 'answer'>,
	now: number,
): string {
	if (outcome !== 'refused' || answer === undefined) return message;
	return `Already answered: ${answerText(answer, now)}. This tap changed nothing.`;
}
