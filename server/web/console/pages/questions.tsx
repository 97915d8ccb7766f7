import { Button, Group, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconMessageQuestion } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { lastCallWords } from '../../../src/contract/history-words.ts';
import type { ConsoleQuestion, PersonAnswer } from '../../../src/contract/questions.ts';
import { useNow } from '../../phone/hooks/use-now.ts';
import { endWords, timeLeft, whoWords } from '../../device/questions.ts';
import { call } from '../api.ts';
import { channelWords, inPhones } from '../channel-words.ts';
import { Ago } from '../components/ago.tsx';
import { ConfirmButton } from '../components/dialogs.tsx';
import { submitted, typed } from '../components/fields.tsx';
import { Of, SmallButton } from '../components/of.tsx';
import { Empty, Page, Problem } from '../components/page.tsx';
import { Selectable, SelectBox } from '../components/selection.tsx';
import { CursorPager } from '../components/pager.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';

const FIRST_PAGE = { show: '', page: '' };

/** Milliseconds between two looks at the time that is left. */
const STEP = 10_000;

/** What workflows ask, and who answered what. */
export function Questions() {
	const { settled, hrefTo } = useAddress(FIRST_PAGE);
	const status = settled.show === 'past' ? ('past' as const) : ('open' as const);
	const query = { status, ...(settled.page !== '' && { after: settled.page }) };
	const { data, error } = useData('GET /questions', query);
	const [outcome, setOutcome] = useState('');
	const lists = [
		{ show: '', words: data ? `Open (${data.open})` : 'Open' },
		{ show: 'past', words: 'Past' },
	];
	return (
		<Page
			title="Questions"
			about="What workflows ask, and who answered what."
			error={error}
			isLoading={!data}
		>
			<Group component="nav" gap="xs" aria-label="Questions">
				{lists.map(({ show, words }) => (
					<Button
						key={show}
						component="a"
						href={hrefTo({ show, page: '' })}
						variant={show === settled.show ? 'light' : 'default'}
						aria-current={show === settled.show ? 'page' : undefined}
					>
						{words}
					</Button>
				))}
			</Group>
			<p className="outcome" role="status">
				{outcome}
			</p>
			{data?.questions.length === 0 && settled.page === '' && (
				<Empty
					icon={<IconMessageQuestion size={28} />}
					title={status === 'open' ? 'No open questions' : 'No past questions'}
					action={
						<Button component="a" href="#/playground?request=question">
							Ask a question
						</Button>
					}
				>
					{status === 'open'
						? 'A question appears here as soon as a workflow asks it.'
						: 'Questions that were answered, withdrawn or have expired are listed here.'}
				</Empty>
			)}
			<Selectable
				of={['question']}
				shown={
					data?.questions.filter((one) => one.may_withdraw).map((one) => one.question_id) ?? []
				}
				verb="Withdraw"
				act={(id) => call('DELETE /questions/:question_id', id)}
				consequence={WHEN_WITHDRAWN}
			>
				<div className="cards-grid is-live">
					{data?.questions.map((question) => (
						<QuestionCard key={question.question_id} question={question} onOutcome={setOutcome} />
					))}
				</div>
			</Selectable>
			{data && <CursorPager of="questions" page={settled.page} next={data.next} hrefTo={hrefTo} />}
		</Page>
	);
}

const WHEN_WITHDRAWN =
	'Nobody can answer it anymore. All phones and the workflow that asked are notified.';

interface CardProps {
	question: ConsoleQuestion;
	/** Receives the outcome of an answer: the card of an answered question leaves the page. */
	onOutcome: (words: string) => void;
}

function QuestionCard({ question, onOutcome }: CardProps) {
	const { question_id: id, title, subtitle, message, shown, escalated, status } = question;
	const titleId = useId();
	const answer = useAction(async (given: PersonAnswer) => {
		const { outcome, message: words } = await call(
			'POST /questions/:question_id/answer',
			id,
			given,
		);
		onOutcome(`${title} · ${words}`);
		return outcome;
	});
	const tellAgain = useAction(async () => {
		await call('POST /questions/:question_id/callback', id);
		onOutcome(`${title} · The workflow is told again.`);
	});
	const isUntold = status !== 'open' && !['none', 'delivered'].includes(question.callback);
	return (
		<section className="live-card" aria-labelledby={titleId}>
			<Group gap="xs" wrap="nowrap" align="flex-start">
				<SelectBox ids={[id]} name={title} />
				<Title className="grow" order={2} size="h4" id={titleId} dir="auto">
					{title}
				</Title>
			</Group>
			{[subtitle, message].map(
				(text, index) =>
					text !== undefined && (
						<Text key={index} className="question-message" dir="auto">
							{text}
						</Text>
					),
			)}
			<Text size="sm" c="dimmed">
				Asked by {question.asked_by ?? 'the console, or a key that is gone'} ·{' '}
				<Ago at={question.asked_at} />
				{escalated && (
					<>
						{' '}
						· escalated to {inPhones(escalated.devices_notified)} · <Ago at={escalated.at} />
					</>
				)}
			</Text>
			{status === 'open' ? <Terms question={question} /> : <Ended question={question} />}
			{question.may_answer && (
				<Group gap="xs" className="choices">
					{shown.choices?.map(({ id: choice, title: words, destructive }) => (
						<Button
							key={choice}
							variant="light"
							color={destructive ? 'red' : undefined}
							disabled={answer.isRunning}
							onClick={() => void answer.run({ choice })}
						>
							{words}
							<Of name={title} />
						</Button>
					))}
				</Group>
			)}
			{question.may_answer && shown.text && (
				<TextAnswer
					text={shown.text}
					of={title}
					isRunning={answer.isRunning}
					onSend={(text) => void answer.run({ text })}
				/>
			)}
			<Problem message={answer.error ?? tellAgain.error} />
			<Group gap="xs">
				{shown.link && (
					<Button
						component="a"
						variant="light"
						size="compact-sm"
						href={shown.link.url}
						target="_blank"
						rel="noopener noreferrer"
					>
						{shown.link.title}
						<Of name={title} />
					</Button>
				)}
				{isUntold && (
					<SmallButton
						text="Tell the workflow again"
						of={title}
						variant="light"
						loading={tellAgain.isRunning}
						onClick={() => void tellAgain.run()}
					/>
				)}
				{question.may_withdraw && (
					<ConfirmButton
						label="Withdraw"
						of={title}
						question={`Withdraw ${title}?`}
						onConfirm={() => call('DELETE /questions/:question_id', id)}
					>
						{WHEN_WITHDRAWN}
					</ConfirmButton>
				)}
			</Group>
		</section>
	);
}

/** Who may answer, and the time left. */
function Terms({ question }: Pick<CardProps, 'question'>) {
	const { shown, channels } = question;
	const left = timeLeft(shown, useNow(STEP));
	const everybody = channels
		? `Sent to ${channelWords(channels, '')}: everybody who got it may answer.`
		: 'Everybody in this account may answer.';
	return (
		<Text size="sm" dir="auto">
			{whoWords(shown, everybody)}
			{left && ` ${left}.`}
		</Text>
	);
}

function Ended({ question: { shown, callback_status: last } }: Pick<CardProps, 'question'>) {
	const words = endWords(shown, useNow(STEP));
	const { text } = shown.answer ?? {};
	return (
		<>
			<Text size="sm" fw={600} dir="auto">
				{words} {shown.callback !== 'delivered' && lastCallWords(last)}
			</Text>
			{text !== undefined && (
				<Text className="question-message" size="sm" dir="auto">
					{text}
				</Text>
			)}
		</>
	);
}

interface TextAnswerProps {
	text: NonNullable<ConsoleQuestion['shown']['text']>;
	of: string;
	isRunning: boolean;
	onSend: (text: string) => void;
}

function TextAnswer({ text, of, isRunning, onSend }: TextAnswerProps) {
	const [answer, setAnswer] = useState('');
	const given = answer.trim();
	const Field = text.multiline ? Textarea : TextInput;
	return (
		<form onSubmit={submitted(() => given !== '' && onSend(given))}>
			<Group gap="xs" align="flex-end" wrap="nowrap">
				<Field
					className="grow"
					label="Answer"
					aria-label={`Answer: ${of}`}
					placeholder={text.placeholder}
					maxLength={text.max_length}
					dir="auto"
					{...typed(answer, setAnswer)}
				/>
				<Button type="submit" variant="light" loading={isRunning} disabled={given === ''}>
					Send
					<Of name={of} />
				</Button>
			</Group>
		</form>
	);
}
