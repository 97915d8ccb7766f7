import type { ShownQuestion } from '../../../src/contract/questions.ts';
import type { Answer } from '../../../src/contract/shown.ts';
import { answerText } from '../../device/answers.ts';
import { endWords } from '../../device/questions.ts';
import type { RememberedTap } from '../storage.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface AnswerLineProps {
	answer: Answer | undefined;
	/** The question that the notification asks, which has its own answer. */
	question?: ShownQuestion | undefined;
	/** The last tap on this phone, whose result is shown by itself. */
	tap?: RememberedTap | undefined;
}

/**
 * The person and time of the answer, and the webhook's reply; the last tap, if the answer may be given again; or how a
 * question ended.
 */
export function AnswerLine({ answer, question, tap }: AnswerLineProps) {
	const now = Date.now();
	const words = question ? endWords(question, now) : answer && answerText(answer, now);
	if (words === undefined) return null;
	const isTold = answer?.message === 'Done.' || answer?.message === tap?.message;
	const reply = question || isTold ? undefined : answer?.message;
	const isAnswered = question === undefined || question.status === 'answered';
	return (
		<p className="answer" data-final={isAnswered && answer?.final !== false}>
			<Glyph name={isAnswered ? 'check' : 'cross'} />
			<span dir="auto">
				{words}
				{reply && <span className="answer-reply">{reply}</span>}
			</span>
		</p>
	);
}
