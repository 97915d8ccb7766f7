import { useState } from 'react';
import type { TapResponse } from '../../../src/contract/device.ts';
import { isQuestion } from '../answers.ts';
import type { ShownNotification } from '../lock-screen-state.ts';
import { NotificationCard } from './notification-card.tsx';

interface NotificationStackProps {
	notifications: ShownNotification[];
	/** How many there are in all, the older ones that are not here too. */
	count: number;
	/** So many cards are open, and the newest question; the older ones lie behind them. */
	openCards: number;
	clockOffset: number;
	onDismiss: (id: number) => void;
	onTap: (deliveryId: number, index: number) => Promise<TapResponse>;
}

/** What is expanded is expanded to look at the recent past, not to render everything at once. */
const MAX_CARDS = 50;

/** The notifications, newest first, older ones stacked behind the newest. */
export function NotificationStack({
	notifications,
	count,
	openCards,
	clockOffset,
	onDismiss,
	onTap,
}: NotificationStackProps) {
	const [wantsAll, setWantsAll] = useState(false);
	const question = notifications.find(({ push }) => isQuestion(push));
	const answeredId = useAnswered(notifications, question?.id);
	const open = notifications.filter(
		(one, index) => index < openCards || one === question || one.id === answeredId,
	);
	const hidden = count - open.length;
	const showsAll = wantsAll && hidden > 0;
	const shown = showsAll ? notifications.slice(0, MAX_CARDS) : open;
	if (notifications.length === 0) return null;

	return (
		<section className="notifications" aria-label="Notifications">
			{showsAll && (
				<div className="stack-head" data-flip="stack-head">
					<span>Notifications</span>
					<button type="button" className="pill-button" onClick={() => setWantsAll(false)}>
						Show less
					</button>
				</div>
			)}
			{shown.map((notification) => (
				<NotificationCard
					key={notification.id}
					notification={notification}
					clockOffset={clockOffset}
					// Nobody has to look for its buttons.
					isUnfolded={notification === question}
					onDismiss={onDismiss}
					onTap={onTap}
				/>
			))}
			{!showsAll && hidden > 0 && (
				<button
					type="button"
					className="stack-edge"
					data-flip="stack-edge"
					data-deep={hidden > 1}
					aria-label={`Show ${hidden} older ${hidden === 1 ? 'notification' : 'notifications'}`}
					onClick={() => setWantsAll(true)}
				>
					<span>{hidden.toLocaleString('en')} more</span>
				</button>
			)}
		</section>
	);
}

/** The question that was unfolded before this one, once it is answered: it stays, so that its answer is seen. */
function useAnswered(
	notifications: ShownNotification[],
	question: number | undefined,
): number | undefined {
	const [unfolded, setUnfolded] = useState({ now: question, before: question });
	if (unfolded.now !== question) setUnfolded({ now: question, before: unfolded.now });
	return notifications.find(({ id, push }) => id === unfolded.before && push.answer)?.id;
}
