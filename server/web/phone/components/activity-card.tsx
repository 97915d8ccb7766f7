import { memo, useId, useRef } from 'react';
import type { Button } from '../../../src/contract/shown.ts';
import { tint } from '../colors.ts';
import { useCard } from '../hooks/use-card.ts';
import { useSwipe } from '../hooks/use-swipe.ts';
import { passFocusOn } from '../keep-focus.ts';
import type { ActivityCard as Card } from '../../device/lock-screen-state.ts';
import { Glyph, Symbol } from '../symbols/symbol.tsx';
import type { TapReport } from '../reports.ts';
import { uuid } from '../uuid.ts';
import { ActionButtons, TapResult } from './action-buttons.tsx';
import { ActivityBody, ActivityHeadline } from './activity-bodies.tsx';
import { AnswerLine } from './answer-line.tsx';
import { AppIcon } from './app-icon.tsx';
import { CloseButton } from './close-button.tsx';
import { RichText } from './rich-text.tsx';

type ActivityAction = 'action' | 'secondary_action';

interface ActivityCardProps {
	card: Card;
	clockOffset: number;
	onDismiss: (activityId: string) => void;
	/** `isOpened`: it opened a page, and nobody waits for a result. */
	onTap: (report: TapReport, isOpened?: boolean) => void;
}

/** A Live Activity. An ended one stays, marked as ended, until it leaves the lock screen. */
export const ActivityCard = memo(function ActivityCard({
	card,
	clockOffset,
	onDismiss,
	onTap,
}: ActivityCardProps) {
	const element = useRef<HTMLElement>(null);
	const titleId = useId();
	const { activity_id: id, content_state: state, dismiss_at, updated_at } = card.activity;
	const isEnded = dismiss_at !== null;
	const buttons = toButtons(card);
	const { memory } = useCard(`a${id}`);
	const dismiss = () => {
		passFocusOn(element.current);
		onDismiss(id);
	};
	useSwipe(element, dismiss);

	return (
		<article
			ref={element}
			tabIndex={-1}
			className={`card activity ${tint(state.color)}`}
			data-flip={`a${id}`}
			data-type={state.type}
			data-ended={isEnded}
			aria-labelledby={titleId}
		>
			{card.alertId > 0 && <span key={card.alertId} className="pulse" aria-hidden="true" />}
			<CloseButton label={`Dismiss activity: ${state.title}`} onClose={dismiss} />
			<header className="activity-head">
				<ActivityIcon state={state} />
				<div className="activity-titles is-selectable">
					<h3 className="activity-title" id={titleId} dir="auto">
						<RichText text={state.title} />
					</h3>
					{(state.subtitle || isEnded || 'badge' in state) && (
						<p className="activity-subtitle">
							{isEnded && (
								<span className="ended">
									<Glyph name="check" /> Ended
								</span>
							)}
							<BadgePill state={state} />
							{state.subtitle && (
								<span className="activity-subtitle-text" dir="auto">
									<RichText text={state.subtitle} />
								</span>
							)}
						</p>
					)}
				</div>
				<ActivityHeadline state={state} isEnded={isEnded} clockOffset={clockOffset} />
			</header>
			<AnswerLine answer={card.activity.answer} tap={memory.tap} />
			<ActivityBody state={state} isEnded={isEnded} clockOffset={clockOffset} />
			{buttons.length > 0 && (
				<ActionButtons
					buttons={buttons.map(({ button }) => button)}
					of={state.title}
					tap={memory.tap}
					names={buttons.map(({ name }) => name)}
					onTap={(index, { title, type }) => {
						const action = buttons[index]?.name ?? 'action';
						const request = { tap_id: uuid(), activity_id: id, action, updated_at };
						onTap({ kind: 'tap', title, request }, type === 'open_url');
					}}
				/>
			)}
			<TapResult tap={memory.tap} />
		</article>
	);
});

function toButtons({ activity }: Card): Array<{ name: ActivityAction; button: Button }> {
	const { action, secondary_action } = activity;
	return [
		...(action ? [{ name: 'action' as const, button: action }] : []),
		...(secondary_action ? [{ name: 'secondary_action' as const, button: secondary_action }] : []),
	];
}

type State = Card['activity']['content_state'];

export function ActivityIcon({ state }: { state: State }) {
	if (state.icon === undefined) return <AppIcon className="activity-icon" />;
	return (
		<span className={`activity-icon symbol-tile ${tint(state.icon.color, state.color)}`}>
			<Symbol name={state.icon.symbol} />
		</span>
	);
}

function BadgePill({ state }: { state: State }) {
	if (!('badge' in state) || state.badge === undefined) return null;
	return (
		<span className={`badge-pill ${tint(state.badge.color, state.color)}`} dir="auto">
			{state.badge.title}
		</span>
	);
}
