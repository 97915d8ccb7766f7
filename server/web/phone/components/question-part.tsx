import { useEffect, useRef } from 'react';
import type { PersonAnswer, ShownQuestion } from '../../../src/contract/questions.ts';
import { remember } from '../card-memory.ts';
import type { CardMemory } from '../storage.ts';
import type { TapReport } from '../reports.ts';
import { uuid } from '../uuid.ts';
import { useNow } from '../hooks/use-now.ts';
import { takeLostFocus } from '../keep-focus.ts';
import { mayAnswer, timeLeft, whoWords } from '../../device/questions.ts';
import { CallButton, isUnsent, LinkButton } from './action-buttons.tsx';

/** The longest typed answer, in characters. */
const MAX_ANSWER = 4_000;

interface QuestionPartProps {
	question: ShownQuestion;
	memory: CardMemory;
	/** Title of the notification. */
	of: string;
	/** The person whose phone it is, once known. */
	userId: string | undefined;
	clockOffset: number;
	onTap: (report: TapReport) => void;
}

/** What a question can be answered with, who may, and the time left. */
export function QuestionPart({
	question,
	memory: { draft = '', tap },
	of,
	userId,
	clockOffset,
	onTap,
}: QuestionPartProps) {
	const { question_id: questionId, choices = [], text, link } = question;
	const answer = (title: string, given: PersonAnswer) =>
		onTap({ kind: 'answer', questionId, title, request: { tap_id: uuid(), ...given } });
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
					{choices.map(({ id, title, destructive }) => (
						<CallButton
							key={id}
							name={id}
							title={title}
							of={of}
							isClosed={isClosed}
							isDestructive={destructive}
							tap={tap}
							onTap={() => answer(title, { choice: id })}
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
					draft={draft}
					tap={tap}
					onType={(typed) => void remember(`q${questionId}`, { draft: typed || undefined })}
					onSend={(typed) => answer('', { text: typed })}
				/>
			)}
			{isOpen && <Terms question={question} clockOffset={clockOffset} />}
		</div>
	);
}

interface AnswerFieldProps {
	text: NonNullable<ShownQuestion['text']>;
	of: string;
	isClosed: boolean;
	draft: string;
	tap: CardMemory['tap'];
	onType: (typed: string) => void;
	onSend: (typed: string) => void;
}

function AnswerField({ text, of, isClosed, draft, tap, onType, onSend }: AnswerFieldProps) {
	const answer = draft.trim();
	const send = () => {
		if (answer !== '' && !isUnsent(tap)) onSend(answer);
	};
	const field = {
		'aria-label': `Answer: ${of}`,
		placeholder: text.placeholder ?? 'Answer',
		maxLength: text.max_length ?? MAX_ANSWER,
		dir: 'auto',
		disabled: isClosed,
		readOnly: isUnsent(tap),
		value: draft,
		onChange: ({ target }: { target: { value: string } }) => onType(target.value),
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
				name=""
				title="Send"
				of={of}
				isClosed={isClosed || answer === ''}
				tap={tap}
				onTap={send}
			/>
		</form>
	);
}

const STEP = 10_000;
/** Milliseconds before the deadline from which every second is counted down. */
const CLOSE = 15 * 60_000;

function Terms({ question, clockOffset }: { question: ShownQuestion; clockOffset: number }) {
	const deadline = Date.parse(question.deadline_at) - clockOffset;
	const isClose = deadline - useNow(STEP) < CLOSE;
	const left = timeLeft(question, useNow(isClose ? undefined : STEP) + clockOffset);
	return (
		<p className="question-terms" dir="auto">
			{whoWords(question)}
			{left && ` ${left}.`}
		</p>
	);
}
