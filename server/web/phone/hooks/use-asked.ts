import { useCallback, useRef, useState } from 'react';
import type { PersonAnswer, PhoneAnswer, ShownQuestion } from '../../../src/contract/questions.ts';
import type { AnswerResult } from '../../device/answer-question.ts';
import { uuid } from '../uuid.ts';
import { type LastTap, useLastTap } from './use-last-tap.ts';

/** How this phone answers questions. */
export interface Answering {
	/** The person whose phone it is, once known. */
	userId: string | undefined;
	answer: (questionId: string, answer: PhoneAnswer) => Promise<AnswerResult>;
}

export interface Asked {
	/** As the server last told it. */
	question: ShownQuestion;
	last: LastTap;
	/** Answers by the button at `index`. */
	answer: (index: number, answer: PersonAnswer) => void;
}

/** A question that can be answered here. `question` undefined: the notification asks none. */
export function useAsked(
	question: ShownQuestion | undefined,
	answering: Answering | undefined,
): Asked | undefined {
	const last = useLastTap();
	const [told, setTold] = useState<ShownQuestion>();
	/** An answer that may not have reached the server: it knows the same one again by its id. */
	const unsure = useRef<{ words: string; id: string }>(undefined);
	const { follow } = last;
	const id = question?.question_id;
	const answer = useCallback(
		(index: number, given: PersonAnswer) => {
			if (!answering || id === undefined) return;
			const words = JSON.stringify(given);
			if (unsure.current?.words !== words) unsure.current = { words, id: uuid() };
			const report = async () => {
				const sent = { tap_id: unsure.current?.id ?? uuid(), ...given };
				const response = await answering.answer(id, sent);
				unsure.current = undefined;
				setTold(response.question);
				return response;
			};
			void follow(index, report());
		},
		[answering, follow, id],
	);
	if (!question) return undefined;
	// A question ends once; what follows arrives as its delivery's update.
	return { question: question.status === 'open' ? (told ?? question) : question, last, answer };
}
