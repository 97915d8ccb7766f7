import { useState } from 'react';
import type { Delivery } from '../../../src/contract/device.ts';
import type { ShownQuestion } from '../../../src/contract/questions.ts';
import type { Answer } from '../../../src/contract/shown.ts';
import { TAG_PATTERN } from '../../../src/contract/values.ts';
import { activityWords } from '../../device/activity-words.ts';
import type { Channel } from '../hooks/use-channels.ts';
import { useCard } from '../hooks/use-card.ts';
import { useWholeMessage } from '../hooks/use-whole-message.ts';
import type { Phone } from '../hooks/use-phone.ts';
import { type HistoryFilter, useHistory } from '../hooks/use-history.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { asksSame } from '../../device/questions.ts';
import { fullTime } from '../../device/relative-time.ts';
import { safeLink, safeMediaUrl } from '../../device/safe-url.ts';
import { cardKey } from '../../device/urgency.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { TapResult } from './action-buttons.tsx';
import { ActivityIcon } from './activity-card.tsx';
import { AnswerLine } from './answer-line.tsx';
import { CoveringScreen } from './covering-screen.tsx';
import { HistoryFilters } from './history-filters.tsx';
import { Link } from './link.tsx';
import { isMarkdown, MessageText, MissingRest } from './message-text.tsx';
import { Level, NotificationIcon } from './notification-card.tsx';
import { QuestionPart } from './question-part.tsx';
import { RichText } from './rich-text.tsx';
import { UnopenedLink } from './unopened-link.tsx';

interface HistoryScreenProps {
	phone: Phone;
	channels: readonly Channel[];
	onClose: () => void;
}

const ANY: HistoryFilter = { search: '', channel: '', tag: '', level: '' };

/** Everything this phone has received, to read, filter and search. */
export function HistoryScreen({ phone, channels, onClose }: HistoryScreenProps) {
	const [filter, setFilter] = useState(ANY);
	const { entries, isLoading, error, loadMore } = useHistory(phone.client, {
		...filter,
		search: filter.search.trim(),
		// No entry can have an invalid tag.
		tag: TAG_PATTERN.test(filter.tag) ? filter.tag : '',
	});
	const change = (changes: Partial<HistoryFilter>) => setFilter({ ...filter, ...changes });
	const isFiltered = filter.search.trim() + filter.channel + filter.tag + filter.level !== '';

	return (
		<CoveringScreen title="History" onClose={onClose}>
			<label className="history-search">
				<Glyph name="search" />
				<span className="visually-hidden">Search</span>
				<input
					type="search"
					placeholder="Search"
					dir="auto"
					value={filter.search}
					maxLength={200}
					onChange={({ target }) => change({ search: target.value })}
				/>
			</label>
			<HistoryFilters channels={channels} filter={filter} onChange={change} />
			<div
				className="history-list"
				aria-busy={isLoading}
				tabIndex={0}
				role="group"
				aria-label="Entries"
			>
				{byDay(entries).map(([day, ofDay]) => (
					<section key={day} aria-label={day}>
						<h2>{day}</h2>
						{ofDay.map((entry) => (
							<Entry
								key={entry.id}
								entry={entry}
								// The lock screen follows changes.
								question={questionOf(entry, phone.state?.notifications)}
								phone={phone}
							/>
						))}
					</section>
				))}
				<p className="history-note" role="status">
					{error !== '' && error}
					{error === '' &&
						!isLoading &&
						entries.length === 0 &&
						(isFiltered ? 'No results.' : 'No notifications yet.')}
				</p>
				{loadMore && (
					<button
						type="button"
						className="pill-button"
						aria-disabled={isLoading}
						onClick={loadMore}
					>
						Show older
					</button>
				)}
			</div>
			<UnopenedLink />
		</CoveringScreen>
	);
}

type ShownEntry = Exclude<Delivery, { kind: 'badge' | 'push_update' }>;

/** Groups entries, newest first, by the day on this device's clock. */
function byDay(entries: Delivery[]): Array<[string, ShownEntry[]]> {
	const days = new Map<string, ShownEntry[]>();
	for (const entry of entries) {
		if (entry.kind === 'badge' || entry.kind === 'push_update') continue;
		const day = new Date(entry.sent_at).toLocaleDateString([], {
			weekday: 'long',
			day: 'numeric',
			month: 'long',
			year: 'numeric',
		});
		days.set(day, [...(days.get(day) ?? []), entry]);
	}
	return [...days];
}

/** Characters, roughly: longer text does not fit a collapsed entry. */
const LONG_TEXT = 240;
const LINES = 6;

interface EntryProps {
	entry: ShownEntry;
	question: ShownQuestion | undefined;
	phone: Phone;
}

function Entry({ entry, question: asked, phone }: EntryProps) {
	const clockOffset = phone.state?.clockOffset ?? 0;
	const key = entry.kind === 'push' ? cardKey(entry) : `a${entry.activity.activity_id}`;
	const { memory, question } = useCard(key, asked);
	const [isUnfolded, setIsUnfolded] = useState(false);
	// A text that is collapsed, or of which a part is missing, cannot be answered.
	const isOpen = question?.status === 'open';
	const push = entry.kind === 'push' ? entry.push : undefined;
	const whole = useWholeMessage(entry.id, push, isUnfolded || isOpen);
	const read =
		entry.kind === 'push' ? { ...entry, push: { ...entry.push, message: whole.text } } : entry;
	const { title, lines, url, answer } = toWords(read, Date.now() + clockOffset);
	const markdown = push && isMarkdown(push) ? whole.text : undefined;
	const link = safeLink(url);
	const isLong = lines.some((line) => line.length > LONG_TEXT || line.split('\n').length > LINES);
	const heading = (
		<span className="history-title" dir="auto">
			{link === undefined ? <RichText text={title} /> : title}
		</span>
	);
	return (
		<article className="history-entry" data-kind={entry.kind}>
			{entry.kind === 'push' ? (
				<NotificationIcon url={entry.push.icon} />
			) : (
				<ActivityIcon state={entry.activity.content_state} />
			)}
			<div className="history-text" data-unfolded={isUnfolded || isOpen}>
				{entry.kind === 'push' && <Level level={entry.push.interruption_level} />}
				{link === undefined ? (
					heading
				) : (
					<Link className="history-link" link={link}>
						{heading}
					</Link>
				)}
				{lines.map((line, index) => (
					<div key={index} className="history-line" dir="auto">
						<MessageText text={line} isMarkdown={line === markdown} />
					</div>
				))}
				{(isUnfolded || isOpen) && <MissingRest {...whole} />}
				<AnswerLine answer={answer} question={question} tap={memory.tap} />
				<TapResult tap={memory.tap} hasAnswer={question !== undefined} />
				{question && whole.missing === undefined && (isOpen || memory.tap) && (
					<QuestionPart
						question={question}
						memory={memory}
						of={title}
						userId={phone.userId}
						clockOffset={clockOffset}
						onTap={phone.tap}
					/>
				)}
				{isLong && !isOpen && (
					<button
						type="button"
						className="history-more"
						aria-expanded={isUnfolded}
						aria-label={`${isUnfolded ? 'Show less' : 'Show more'} of ${title}`}
						onClick={() => setIsUnfolded(!isUnfolded)}
					>
						{isUnfolded ? 'Show less' : 'Show more'}
					</button>
				)}
			</div>
			<span className="history-when">
				<time dateTime={entry.sent_at} title={fullTime(entry.sent_at)}>
					{new Date(entry.sent_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
				</time>
				{entry.muted && <span className="history-muted">Muted</span>}
				{entry.held && !question?.activity_id && <span className="history-muted">Held back</span>}
			</span>
		</article>
	);
}

/** The question that the entry asks, as it is now. */
function questionOf(
	entry: ShownEntry,
	shown: readonly ShownNotification[] = [],
): ShownQuestion | undefined {
	if (entry.kind !== 'push') return undefined;
	const now = shown.find(({ push }) => asksSame(push, entry.push)) ?? entry;
	return now.push.question;
}

interface EntryWords {
	title: string;
	lines: string[];
	url?: string;
	answer: Answer | undefined;
}

function toWords(entry: ShownEntry, now: number): EntryWords {
	if (entry.kind !== 'push') {
		const { activity } = entry;
		const { content_state: state, answer } = activity;
		return { title: state.title, lines: [activityWords(activity, now)], answer };
	}
	const { title, subtitle, message, redirection, media, answer } = entry.push;
	const lines = [subtitle, message].filter((line) => line !== undefined);
	return { title, lines, url: redirection ?? safeMediaUrl(media), answer };
}
