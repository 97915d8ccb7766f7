import type { PhoneAnswer, ShownQuestion } from '../../src/contract/questions.ts';
import type { TapResponse } from '../../src/contract/device.ts';
import type { DeviceClient } from './device-client.ts';
import { personsAnswer } from './questions.ts';

/** The outcome of an answer, in the form of a tap's outcome. */
export interface AnswerResult extends Pick<TapResponse, 'outcome' | 'message' | 'answer'> {
	question: ShownQuestion;
}

/** Answers a question; the server knows a repeated answer by its `tap_id`. Rejects with a DeviceError. */
export async function answerQuestion(
	client: DeviceClient,
	questionId: string,
	request: PhoneAnswer,
): Promise<AnswerResult> {
	const name = 'POST /questions/:question_id/answer';
	const { outcome, message, question } = await client.call(name, questionId, request);
	return {
		outcome: outcome === 'answered' ? 'called' : 'refused',
		message,
		answer: personsAnswer(question),
		question,
	};
}
