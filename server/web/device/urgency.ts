import { isQuestion } from './answers.ts';
import type { LockScreenState, ShownNotification } from './lock-screen-state.ts';

/** Names a card, whatever delivery shows it: a reminder shows the same question. */
export function cardKey({ id, push }: Pick<ShownNotification, 'id' | 'push'>): string {
	return push.question ? `q${push.question.question_id}` : `n${id}`;
}

/** The notifications of the lock screen, in the order of its sections. */
export interface Sections {
	/** Open ones, and one that ended while it is in use. */
	questions: ShownNotification[];
	/** Critical ones until they are seen, then the newest Time Sensitive ones. */
	urgent: ShownNotification[];
	/** The other notifications, by time. */
	others: ShownNotification[];
	/** Questions that have ended, the last one first. */
	ended: ShownNotification[];
}

/** True if a push shows its buttons without a tap where it is the only one: it asks for something, or is critical. */
export function isUnfoldedAlone(push: ShownNotification['push']): boolean {
	return push.question !== undefined || isQuestion(push) || push.interruption_level === 'critical';
}

/** More of them would hide everything else. */
const MAX_TIME_SENSITIVE = 3;

/**
 * Sorts notifications by urgency.
 * @param isSeen whether the person has touched a card
 * @param inUse the card that has focus, which stays in its place
 */
export function bySection(
	{ notifications }: Pick<LockScreenState, 'notifications'>,
	isSeen: (key: string) => boolean,
	inUse?: string,
): Sections {
	const asked = notifications.filter(({ push }) => push.question !== undefined);
	const isLive = (one: ShownNotification) =>
		one.push.question?.status === 'open' || cardKey(one) === inUse;
	const endOf = ({ push }: ShownNotification) => Date.parse(push.question?.ended_at ?? '') || 0;
	const plain = notifications.filter(({ push }) => push.question === undefined);
	const ofLevel = (level: string) => plain.filter(({ push }) => push.interruption_level === level);
	const critical = ofLevel('critical').filter(
		(one) => !isSeen(cardKey(one)) || cardKey(one) === inUse,
	);
	const urgent = [...critical, ...ofLevel('time-sensitive').slice(0, MAX_TIME_SENSITIVE)];
	return {
		questions: asked.filter(isLive).sort((a, b) => (b.since ?? b.id) - (a.since ?? a.id)),
		urgent,
		others: plain.filter((one) => !urgent.includes(one)),
		ended: asked.filter((one) => !isLive(one)).sort((a, b) => endOf(b) - endOf(a)),
	};
}
