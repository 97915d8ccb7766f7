import { useEffect, useRef, useState } from 'react';
import type { ShownQuestion } from '../../../src/contract/questions.ts';
import type { Asked } from '../hooks/use-asked.ts';
import type { TapState } from '../hooks/use-last-tap.ts';
import { useNow } from '../hooks/use-now.ts';
import { takeLostFocus } from '../keep-focus.ts';
import { mayAnswer, timeLeft, whoWords } from '../../device/questions.ts';
import { CallButton, LinkButton, TapResult } from './action-buttons.tsx';

/** The longest typed answer, in characters. */
const MAX_ANSWER = 4_000;

interface QuestionPartProps {
	asked: Asked;
	/** Title of the notification. */
	of: string;
	userId: string | undefined;
	clockOffset: number;
}

/** What a question can be answered with, who may, and the time left. */
export function QuestionPart({ asked, of, userId, clockOffset }: QuestionPartProps) {
	const { question, last, answer } = asked;
	const { choices = [], text, link } = question;
	const part = useRef<HTMLDivElement>(null);
	const isOpen = question.status === 'open';
	const isClosed = !isOpen || !mayAnswer(question, userId);
	const wasOpen = useRef(isOpen);
	useEffect(() => {
		// The field that had focus is gone.
		if (wasOpen.current && !isOpen) takeLostFocus(part.current);
		wasOpen.current = isOpen;
	}, [isOpen]);

	return (
		<div className="actions question" ref={part} tabIndex={-1}>
			{(choices.length > 0 || (link && isOpen)) && (
				<div className="action-row">
					{choices.map(({ id, title, destructive }, index) => (
						<CallButton
							key={id}
							title={title}
							of={of}
							isClosed={isClosed}
							isDestructive={destructive}
							state={last.stateOf(index)}
							onTap={() => answer(index, { choice: id })}
						/>
					))}
					{link && isOpen && <LinkButton button={link} of={of} />}
				</div>
			)}
			{text && isOpen && (
				<AnswerField
					text={text}
					of={of}
					isClosed={isClosed}
					state={last.stateOf(choices.length)}
					onSend={(typed) => answer(choices.length, { text: typed })}
				/>
			)}
			<TapResult state={last.state} />
			{isOpen && <Terms question={question} clockOffset={clockOffset} />}
		</div>
	);
}

interface AnswerFieldProps {
	text: NonNullable<ShownQuestion['text']>;
	of: string;
	isClosed: boolean;
	state: TapState | undefined;
	onSend: (typed: string) => void;
}

function AnswerField({ text, of, isClosed, state, onSend }: AnswerFieldProps) {
	const [typed, setTyped] = useState('');
	const answer = typed.trim();
	const send = () => {
		if (answer !== '' && state?.kind !== 'pending') onSend(answer);
	};
	const field = {
		'aria-label': `Answer: ${of}`,
		placeholder: text.placeholder ?? 'Answer',
		maxLength: text.max_length ?? MAX_ANSWER,
		dir: 'auto',
		disabled: isClosed,
		value: typed,
		onChange: ({ target }: { target: { value: string } }) => setTyped(target.value),
	};
	return (
		<form
			className="answer-field"
			onSubmit={(event) => {
				event.preventDefault();
				send();
			}}
		>
			{text.multiline ? <textarea rows={3} {...field} /> : <input enterKeyHint="send" {...field} />}
			<CallButton
				title="Send"
				of={of}
				isClosed={isClosed || answer === ''}
				state={state}
				onTap={send}
			/>
		</form>
	);
}

const STEP = 10_000;

function Terms({ question, clockOffset }: { question: ShownQuestion; clockOffset: number }) {
	const now = useNow(STEP) + clockOffset;
	const words = [whoWords(question), `${timeLeft(question, now)}.`];
	return (
		<p className="question-terms" dir="auto">
			{words.filter((one) => one !== undefined).join(' ')}
		</p>
	);
}
