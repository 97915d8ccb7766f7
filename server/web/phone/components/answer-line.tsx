import type { Answer } from '../../../src/contract/shown.ts';
import { answerText } from '../answers.ts';
import { Glyph } from '../symbols/symbol.tsx';

/** The person and time of the answer; for a question that may be answered again, the last tap. */
export function AnswerLine({ answer }: { answer: Answer | undefined }) {
	if (answer === undefined) return null;
	return (
		<p className="answer" data-final={answer.final}>
			<Glyph name="check" />
			<span dir="auto">{answerText(answer, Date.now())}</span>
		</p>
	);
}
