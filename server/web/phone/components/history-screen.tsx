import { useEffect, useRef, useState } from 'react';
import type { Delivery } from '../../../src/contract/device.ts';
import type { Answer } from '../../../src/contract/shown.ts';
import { activityWords } from '../activity-words.ts';
import type { DeviceClient } from '../device-client.ts';
import { useHistory } from '../hooks/use-history.ts';
import { fullTime } from '../relative-time.ts';
import { safeLink, safeMediaUrl } from '../safe-url.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { ActivityIcon } from './activity-card.tsx';
import { AnswerLine } from './answer-line.tsx';
import { NotificationIcon } from './notification-card.tsx';
import { UnopenedLink } from './unopened-link.tsx';

interface HistoryScreenProps {
	client: DeviceClient;
	clockOffset: number;
	onClose: () => void;
}

/** Everything this phone has received, to read and search. */
export function HistoryScreen({ client, clockOffset, onClose }: HistoryScreenProps) {
	const [search, setSearch] = useState('');
	const { entries, isLoading, error, loadMore } = useHistory(client, search.trim());
	const screen = useRef<HTMLElement>(null);
	useEffect(() => screen.current?.focus(), []);

	return (
		<section
			className="history"
			ref={screen}
			tabIndex={-1}
			aria-label="History"
			onKeyDown={(event) => event.key === 'Escape' && onClose()}
		>
			<header className="history-head">
				<button type="button" className="history-back" aria-label="Back" onClick={onClose}>
					<Glyph name="back" />
				</button>
				<h2>History</h2>
			</header>
			<label className="history-search">
				<Glyph name="search" />
				<span className="visually-hidden">Search</span>
				<input
					type="search"
					placeholder="Search"
					value={search}
					maxLength={200}
					onChange={(event) => setSearch(event.target.value)}
				/>
			</label>
			<div className="history-list" aria-busy={isLoading}>
				{byDay(entries).map(([day, ofDay]) => (
					<section key={day} aria-label={day}>
						<h3>{day}</h3>
						{ofDay.map((entry) => (
							<Entry key={entry.id} entry={entry} now={Date.now() + clockOffset} />
						))}
					</section>
				))}
				<p className="history-note" role="status">
					{error !== '' && error}
					{error === '' && !isLoading && entries.length === 0 && nothingWords(search)}
				</p>
				{loadMore && (
					<button type="button" className="pill-button" disabled={isLoading} onClick={loadMore}>
						Show older
					</button>
				)}
			</div>
			<UnopenedLink />
		</section>
	);
}

function nothingWords(search: string): string {
	return search.trim() === '' ? 'Nothing has come yet.' : 'Nothing has all of these words.';
}

/** Groups entries, newest first, by the day on this device's clock. */
function byDay(entries: Delivery[]): Array<[string, Delivery[]]> {
	const days = new Map<string, Delivery[]>();
	for (const entry of entries) {
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

function Entry({ entry, now }: { entry: Delivery; now: number }) {
	if (entry.kind === 'badge' || entry.kind === 'push_update') return null;
	const { title, lines, url, answer } = wordsOf(entry, now);
	const link = safeLink(url);
	const text = (
		<>
			<span className="history-title">{title}</span>
			{lines.map((line, index) => (
				<span key={index} className="history-line">
					{line}
				</span>
			))}
			<AnswerLine answer={answer} />
		</>
	);
	return (
		<article className="history-entry" data-kind={entry.kind}>
			{entry.kind === 'push' ? (
				<NotificationIcon url={entry.push.icon} />
			) : (
				<ActivityIcon state={entry.activity.content_state} />
			)}
			{link === undefined ? (
				<div className="history-text">{text}</div>
			) : (
				<a
					className="history-text"
					href={link.href}
					target={link.isWeb ? '_blank' : undefined}
					rel="noopener noreferrer"
				>
					{text}
				</a>
			)}
			<span className="history-when">
				<time dateTime={entry.sent_at} title={fullTime(entry.sent_at)}>
					{new Date(entry.sent_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
				</time>
				{entry.muted && <span className="history-muted">Muted</span>}
			</span>
		</article>
	);
}

interface EntryWords {
	title: string;
	lines: string[];
	url?: string;
	answer: Answer | undefined;
}

function wordsOf(
	entry: Exclude<Delivery, { kind: 'badge' | 'push_update' }>,
	now: number,
): EntryWords {
	if (entry.kind !== 'push') {
		const { activity } = entry;
		const { content_state: state, answer } = activity;
		return { title: state.title, lines: [activityWords(activity, now)], answer };
	}
	const { title, subtitle, message, redirection, media, answer } = entry.push;
	const lines = [subtitle, message].filter((line) => line !== undefined);
	return { title, lines, url: redirection ?? safeMediaUrl(media), answer };
}
