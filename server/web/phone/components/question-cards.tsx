import { useState } from 'react';
import { cardKey } from '../../device/urgency.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { NotificationCard, type CardActions } from './notification-card.tsx';

interface QuestionCardsProps extends CardActions {
	questions: ShownNotification[];
}

/** The most questions that start expanded: they must leave room for other cards. */
const MAX_UNFOLDED = 3;

/** Open questions, the newest expanded. */
export function QuestionCards({ questions, ...card }: QuestionCardsProps) {
	if (questions.length === 0) return null;
	return (
		<section className="questions" aria-label="Questions">
			<h2 className="visually-hidden">Questions</h2>
			{questions.map((notification, index) => (
				<NotificationCard
					key={cardKey(notification)}
					notification={notification}
					isUnfolded={index < MAX_UNFOLDED}
					{...card}
				/>
			))}
		</section>
	);
}

/** Questions that need no answer any more: the last one on a line, the others on request. */
export function EndedQuestions({ questions, ...card }: QuestionCardsProps) {
	const [showsAll, setShowsAll] = useState(false);
	if (questions.length === 0) return null;
	const more = questions.length - 1;
	return (
		<section className="ended-questions" aria-label="Ended questions">
			<h2 className="visually-hidden">Ended questions</h2>
			{questions.slice(0, showsAll ? undefined : 1).map((notification) => (
				<NotificationCard key={cardKey(notification)} notification={notification} {...card} />
			))}
			{more > 0 && (
				<button
					type="button"
					className="pill-button"
					data-flip="ended"
					aria-expanded={showsAll}
					onClick={() => setShowsAll(!showsAll)}
				>
					{showsAll ? 'Show the last one only' : `${more.toLocaleString()} more ended`}
				</button>
			)}
		</section>
	);
}
