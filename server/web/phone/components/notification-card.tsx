import { memo, useId, useRef, useState } from 'react';
import type { SnoozeRequest, TapResponse } from '../../../src/contract/device.ts';
import type { Notification as Push } from '../../../src/contract/shown.ts';
import { type Answering, useAsked } from '../hooks/use-asked.ts';
import { useSwipe } from '../hooks/use-swipe.ts';
import { passFocusOn } from '../keep-focus.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { type SafeLink, safeLink, safeMediaUrl } from '../../device/safe-url.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { ActionButtons } from './action-buttons.tsx';
import { AnswerLine } from './answer-line.tsx';
import { AppIcon } from './app-icon.tsx';
import { CardTools } from './card-tools.tsx';
import { CloseButton } from './close-button.tsx';
import { MediaPreview, MediaThumbnail } from './media-preview.tsx';
import { QuestionPart } from './question-part.tsx';
import { RelativeTime } from './relative-time.tsx';
import { MessageText } from './message-text.tsx';
import { RichText } from './rich-text.tsx';

interface NotificationCardProps {
	notification: ShownNotification;
	clockOffset: number;
	/** Starts expanded, until the person collapses it. */
	isUnfolded?: boolean;
	onDismiss: (id: number) => void;
	onSnooze?: (id: number, until: SnoozeRequest['until']) => void;
	onTap: (deliveryId: number, index: number) => Promise<TapResponse>;
	/** For a question. */
	answering?: Answering;
}

/** A push. Tapping the body opens its target; the chevron reveals media, buttons and the full text. */
export const NotificationCard = memo(function NotificationCard({
	notification: { id, sent_at, push, held },
	clockOffset,
	isUnfolded = false,
	onDismiss,
	onSnooze,
	onTap,
	answering,
}: NotificationCardProps) {
	const card = useRef<HTMLElement>(null);
	const titleId = useId();
	const [choice, setChoice] = useState<boolean>();
	const asked = useAsked(push.question, answering);
	const isExpanded = choice ?? isUnfolded;
	const leave = (how: () => void) => {
		passFocusOn(card.current);
		how();
	};
	const dismiss = () => leave(() => onDismiss(id));
	useSwipe(card, dismiss);

	const media = safeMediaUrl(push.media);
	const actions = push.actions ?? [];
	const toggle = () => setChoice(!isExpanded);
	// A link can have no other inside it.
	const show = (text: string) =>
		isExpanded && linkOf(push) === undefined ? <RichText text={text} /> : text;
	const answer = (...given: Parameters<NonNullable<typeof asked>['answer']>) => {
		setChoice(true);
		asked?.answer(...given);
	};
	const tap = (index: number) => {
		// Shows the result of the tap here, although the question is no longer open.
		setChoice(true);
		return onTap(id, index);
	};

	return (
		<article
			ref={card}
			tabIndex={-1}
			className="card notification"
			data-flip={`n${id}`}
			data-level={push.interruption_level}
			data-expanded={isExpanded}
			aria-labelledby={titleId}
		>
			<CloseButton label={`Dismiss notification: ${push.title}`} onClose={dismiss} />
			<div className="notification-row">
				<NotificationIcon url={push.icon} />
				<Body push={push} isExpanded={isExpanded} onToggle={toggle}>
					<Level level={push.interruption_level} />
					{held && !push.question?.activity_id && <span className="level">Held back</span>}
					<span className="notification-title" id={titleId} dir="auto">
						{show(push.title)}
					</span>
					{push.subtitle && (
						<span className="notification-subtitle" dir="auto">
							{show(push.subtitle)}
						</span>
					)}
					{push.message && !isExpanded && (
						<span className="notification-message" dir="auto">
							{push.message}
						</span>
					)}
				</Body>
				<div className="notification-side">
					<div className="notification-when">
						<RelativeTime at={sent_at} clockOffset={clockOffset} />
						<button
							type="button"
							className="expand-button"
							aria-expanded={isExpanded}
							aria-label={`${isExpanded ? 'Collapse' : 'Expand'} notification: ${push.title}`}
							onClick={toggle}
						>
							<Glyph name="chevron" />
						</button>
					</div>
					{media !== undefined && !isExpanded && <MediaThumbnail url={media} />}
				</div>
			</div>
			<AnswerLine answer={push.answer} question={asked?.question} />
			{isExpanded && (
				<div className="notification-more">
					{push.message && (
						<div className="notification-message is-selectable" dir="auto">
							<MessageText text={push.message} isMarkdown={push.markdown} />
						</div>
					)}
					{media !== undefined && <MediaPreview url={media} />}
					{actions.length > 0 && <ActionButtons buttons={actions} of={push.title} onTap={tap} />}
					{asked && (
						<QuestionPart
							asked={{ ...asked, answer }}
							of={push.title}
							userId={answering?.userId}
							clockOffset={clockOffset}
						/>
					)}
					<Tags tags={push.tags ?? []} />
					<CardTools
						of={push.title}
						text={allText(push)}
						onSnooze={onSnooze && ((until) => leave(() => onSnooze(id, until)))}
					/>
				</div>
			)}
		</article>
	);
});

function allText({ title, subtitle, message }: Push): string {
	return [title, subtitle, message].filter((text) => text !== undefined).join('\n');
}

function linkOf({ redirection, media }: Push): SafeLink | undefined {
	return safeLink(redirection) ?? safeLink(safeMediaUrl(media));
}

interface BodyProps {
	push: Push;
	isExpanded: boolean;
	/** If the body has no link, tapping it expands the card. */
	onToggle: () => void;
	children: React.ReactNode;
}

function Body({ push, isExpanded, onToggle, children }: BodyProps) {
	const link = linkOf(push);
	if (link !== undefined) {
		return (
			<a
				className="notification-body"
				href={link.href}
				target={link.isWeb ? '_blank' : undefined}
				rel="noopener noreferrer"
			>
				{children}
			</a>
		);
	}
	if (isExpanded) return <div className="notification-body is-selectable">{children}</div>;
	// Keyboards and screen readers use the chevron; the tap is a convenience.
	return (
		<div className="notification-body" onClick={onToggle}>
			{children}
		</div>
	);
}

export function NotificationIcon({ url }: { url: string | undefined }) {
	const [isBroken, setIsBroken] = useState(false);
	const safe = safeMediaUrl(url);
	if (safe === undefined || isBroken) return <AppIcon className="notification-icon" />;
	return (
		<span className="notification-icon custom-icon">
			<img src={safe} alt="" referrerPolicy="no-referrer" onError={() => setIsBroken(true)} />
			<AppIcon className="custom-icon-app" />
		</span>
	);
}

function Level({ level }: { level: Push['interruption_level'] }) {
	if (level === 'time-sensitive') return <span className="level">Time Sensitive</span>;
	if (level !== 'critical') return null;
	return (
		<span className="level is-critical">
			<Glyph name="warning" /> Critical
		</span>
	);
}

function Tags({ tags }: { tags: string[] }) {
	if (tags.length === 0) return null;
	return (
		<ul className="tags" aria-label="Tags">
			{tags.map((tag) => (
				<li key={tag} dir="auto">
					{tag}
				</li>
			))}
		</ul>
	);
}
