import { useState } from 'react';
import type { TapResponse } from '../../../src/contract/device.ts';
import { isQuestion } from '../answers.ts';
import type { ShownNotification } from '../lock-screen-state.ts';
import { NotificationCard } from './notification-card.tsx';

interface NotificationStackProps {
	notifications: ShownNotification[];
	/** The total, including older ones that are not loaded. */
	count: number;
	/** This many cards are open, plus the newest question; older ones are stacked behind them. */
	openCards: number;
	clockOffset: number;
	onDismiss: (id: number) => void;
	onTap: (deliveryId: number, index: number) => Promise<TapResponse>;
}

/** Most cards shown when expanded: for the recent past, not for everything at once. */
const MAX_CARDS = 50;

/** The notifications, newest first, with older ones stacked behind. */
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
					// The question's buttons are in plain sight.
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

/** The previously unfolded question once it is answered: it stays open to show its answer. */
function useAnswered(
	notifications: ShownNotification[],
	question: number | undefined,
): number | undefined {
	const [unfolded, setUnfolded] = useState({ now: question, before: question });
	if (unfolded.now !== question) setUnfolded({ now: question, before: unfolded.now });
	return notifications.find(({ id, push }) => id === unfolded.before && push.answer)?.id;
}
