import type { SnoozeRequest, TapResponse } from '../../../src/contract/device.ts';
import type { Answering } from '../hooks/use-asked.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { NotificationCard } from './notification-card.tsx';

interface QuestionCardsProps {
	questions: ShownNotification[];
	answering: Answering;
	clockOffset: number;
	onDismiss: (id: number) => void;
	onSnooze: (id: number, until: SnoozeRequest['until']) => void;
	onTap: (deliveryId: number, index: number) => Promise<TapResponse>;
}

/** The most that are unfolded by themselves: they must leave room for others. */
const MAX_UNFOLDED = 3;

/** Open questions, unfolded, and below them those that ended within the last hour. */
export function QuestionCards({ questions, answering, ...card }: QuestionCardsProps) {
	const isOpen = ({ push }: ShownNotification) => push.question?.status === 'open';
	const open = questions.filter(isOpen);
	const ended = questions.filter((one) => !isOpen(one));
	if (questions.length === 0) return null;
	return (
		<section className="questions" aria-label="Questions">
			<h2 className="visually-hidden">Questions</h2>
			{[...open, ...ended].map((notification, index) => (
				<NotificationCard
					// A reminder keeps what was typed.
					key={notification.push.question?.question_id}
					notification={notification}
					answering={answering}
					isUnfolded={index < Math.min(open.length, MAX_UNFOLDED)}
					{...card}
				/>
			))}
		</section>
	);
}
