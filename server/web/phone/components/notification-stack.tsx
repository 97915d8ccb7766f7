import { Fragment, useRef, useState } from 'react';
import { isQuestion } from '../../device/answers.ts';
import type { Channel } from '../hooks/use-channels.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { type CardActions, NotificationCard } from './notification-card.tsx';

interface NotificationStackProps extends CardActions {
	notifications: ShownNotification[];
	channels: readonly Channel[];
	/** The total, including older ones that are not loaded. */
	count: number;
	/** This many cards are open, plus the newest question and the newest answers; older ones are stacked behind them. */
	openCards: number;
	/** Opens the notifications older than those loaded. */
	onHistory: () => void;
}

/** Cards added when more are wanted: the recent past, not everything at once. */
const MORE_CARDS = 50;

/** The most answered questions that stay open until dismissed. */
const MAX_ANSWERED = 3;

/** The notifications, newest first, with older ones stacked behind. */
export function NotificationStack({
	notifications,
	channels,
	count,
	openCards,
	onHistory,
	...card
}: NotificationStackProps) {
	/** The oldest one shown, however many come after it; undefined: only the newest are. */
	const [oldest, setOldest] = useState<number>();
	const section = useRef<HTMLElement>(null);
	const question = notifications.find(({ push }) => isQuestion(push));
	const answered = notifications.filter(({ push }) => push.answer).slice(0, MAX_ANSWERED);
	const open = notifications.filter(
		(one, index) => index < openCards || one === question || answered.includes(one),
	);
	const showsAll = oldest !== undefined && count > open.length;
	const shown = showsAll ? notifications.filter(({ id }) => id >= oldest) : open;
	const groups = showsAll ? byChannel(shown, channels) : [['', shown] as const];
	const hidden = count - shown.length;
	const showMore = () => {
		const from = showsAll ? shown.length : 0;
		setOldest((notifications[from + MORE_CARDS - 1] ?? notifications.at(-1))?.id);
	};
	const toggle = (all: boolean) => {
		if (all) showMore();
		else setOldest(undefined);
		// The tapped button is replaced by another one, which gets its focus.
		requestAnimationFrame(() =>
			section.current
				?.querySelector<HTMLElement>(all ? '.stack-head button' : '.stack-edge')
				?.focus(),
		);
	};
	if (notifications.length === 0) return null;

	return (
		<section className="notifications" aria-label="Notifications" ref={section}>
			{showsAll && (
				<div className="stack-head" data-flip="stack-head">
					<h2>Notifications</h2>
					<button type="button" className="pill-button" onClick={() => toggle(false)}>
						Show less
					</button>
				</div>
			)}
			{groups.map(([channel, ofChannel]) => (
				<Fragment key={channel}>
					{channel !== '' && (
						<h3 className="channel-head" data-flip={`channel ${channel}`}>
							<span dir="auto">{channel}</span> {ofChannel.length.toLocaleString()}
						</h3>
					)}
					{ofChannel.map((notification) => (
						<NotificationCard
							key={notification.id}
							notification={notification}
							// The question's buttons are already visible.
							isUnfolded={notification === question}
							{...card}
						/>
					))}
				</Fragment>
			))}
			{showsAll && hidden > 0 && (
				<button
					type="button"
					className="pill-button"
					data-flip="more"
					onClick={shown.length < notifications.length ? showMore : onHistory}
				>
					{hidden.toLocaleString()} older
					{shown.length === notifications.length && ' in the history'}
				</button>
			)}
			{!showsAll && hidden > 0 && (
				<button
					type="button"
					className="stack-edge"
					data-flip="stack-edge"
					data-deep={hidden > 1}
					aria-label={`Show ${hidden.toLocaleString()} more ${hidden === 1 ? 'notification' : 'notifications'}`}
					onClick={() => toggle(true)}
				>
					<span>Show {hidden.toLocaleString()} more</span>
				</button>
			)}
		</section>
	);
}

/** In groups by the name of their channel, the group with the newest first; those without a channel have no name. */
function byChannel(
	notifications: readonly ShownNotification[],
	channels: readonly Channel[],
): Array<readonly [channel: string, notifications: ShownNotification[]]> {
	const names = new Map(channels.map(({ slug, name }) => [slug, name]));
	const nameOf = ({ push }: ShownNotification) =>
		push.channels?.map((slug) => names.get(slug)).find((name) => name !== undefined) ?? '';
	const groups = new Map<string, ShownNotification[]>();
	for (const one of notifications)
		groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
	return [...groups];
}
