import { Fragment, useRef, useState } from 'react';
import type { SnoozeRequest, TapResponse } from '../../../src/contract/device.ts';
import { isQuestion } from '../../device/answers.ts';
import type { Channel } from '../hooks/use-channels.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { NotificationCard } from './notification-card.tsx';

interface NotificationStackProps {
	notifications: ShownNotification[];
	channels: readonly Channel[];
	/** The total, including older ones that are not loaded. */
	count: number;
	/** This many cards are open, plus the newest question and the newest answers; older ones are stacked behind them. */
	openCards: number;
	clockOffset: number;
	onDismiss: (id: number) => void;
	onSnooze: (id: number, until: SnoozeRequest['until']) => void;
	onTap: (deliveryId: number, index: number) => Promise<TapResponse>;
}

/** The most cards shown when expanded: the recent past, not everything at once. */
const MAX_CARDS = 50;

/** The most answered questions that stay open until dismissed. */
const MAX_ANSWERED = 3;

/** The notifications, newest first, with older ones stacked behind. */
export function NotificationStack({
	notifications,
	channels,
	count,
	openCards,
	clockOffset,
	onDismiss,
	onSnooze,
	onTap,
}: NotificationStackProps) {
	const [wantsAll, setWantsAll] = useState(false);
	const section = useRef<HTMLElement>(null);
	const question = notifications.find(({ push }) => isQuestion(push));
	const answered = notifications.filter(({ push }) => push.answer).slice(0, MAX_ANSWERED);
	const open = notifications.filter(
		(one, index) => index < openCards || one === question || answered.includes(one),
	);
	const hidden = count - open.length;
	const showsAll = wantsAll && hidden > 0;
	const shown = showsAll ? notifications.slice(0, MAX_CARDS) : open;
	const groups = showsAll ? byChannel(shown, channels) : [['', shown] as const];
	const toggle = (all: boolean) => {
		setWantsAll(all);
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
							clockOffset={clockOffset}
							// The question's buttons are already visible.
							isUnfolded={notification === question}
							onDismiss={onDismiss}
							onSnooze={onSnooze}
							onTap={onTap}
						/>
					))}
				</Fragment>
			))}
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
