import { memo, useId, useRef, useState } from 'react';
import type { SnoozeRequest } from '../../../src/contract/device.ts';
import type { Notification as Push } from '../../../src/contract/shown.ts';
import { remember } from '../card-memory.ts';
import { useCard } from '../hooks/use-card.ts';
import { useWholeMessage } from '../hooks/use-whole-message.ts';
import { useSwipe } from '../hooks/use-swipe.ts';
import { passFocusOn } from '../keep-focus.ts';
import type { ShownNotification } from '../../device/lock-screen-state.ts';
import { type SafeLink, safeLink, safeMediaUrl } from '../../device/safe-url.ts';
import { cardKey } from '../../device/urgency.ts';
import type { TapReport } from '../reports.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { uuid } from '../uuid.ts';
import { ActionButtons, TapResult } from './action-buttons.tsx';
import { AnswerLine } from './answer-line.tsx';
import { AppIcon } from './app-icon.tsx';
import { CardTools } from './card-tools.tsx';
import { CloseButton } from './close-button.tsx';
import { Link } from './link.tsx';
import { MediaPreview, MediaThumbnail } from './media-preview.tsx';
import { QuestionPart } from './question-part.tsx';
import { RelativeTime } from './relative-time.tsx';
import { isMarkdown, MessageText, MissingRest } from './message-text.tsx';
import { RichText } from './rich-text.tsx';

export interface CardActions {
	clockOffset: number;
	onDismiss: (id: number) => void;
	onSnooze?: (id: number, until: SnoozeRequest['until']) => void;
	/** `isOpened`: it opened a page, and nobody waits for a result. */
	onTap: (report: TapReport, isOpened?: boolean) => void;
	/** The person whose phone it is, once known. */
	userId?: string | undefined;
}

interface NotificationCardProps extends CardActions {
	notification: ShownNotification;
	/** Starts expanded, until the person collapses it. */
	isUnfolded?: boolean;
}

/** A push. Tapping the body opens its target; the chevron reveals media, buttons and the full text. */
export const NotificationCard = memo(function NotificationCard({
	notification: { id, sent_at, push, held },
	clockOffset,
	isUnfolded = false,
	onDismiss,
	onSnooze,
	onTap,
	userId,
}: NotificationCardProps) {
	const card = useRef<HTMLElement>(null);
	const titleId = useId();
	const [choice, setChoice] = useState<boolean>();
	const key = cardKey({ id, push });
	const { memory, question } = useCard(key, push.question);
	const isExpanded = choice ?? (isUnfolded || memory.draft !== undefined);
	const whole = useWholeMessage(id, push, isExpanded);
	const leave = (how: () => void) => {
		passFocusOn(card.current);
		how();
	};
	const dismiss = () => leave(() => onDismiss(id));
	useSwipe(card, dismiss);

	const media = safeMediaUrl(push.media);
	const actions = push.actions ?? [];
	const toggle = () => setChoice(!isExpanded);
	// A link cannot contain another link.
	const show = (text: string) =>
		isExpanded && linkOf(push) === undefined ? <RichText text={text} /> : text;

	return (
		<article
			ref={card}
			tabIndex={-1}
			className="card notification"
			data-flip={key}
			data-level={push.interruption_level}
			data-expanded={isExpanded}
			aria-labelledby={titleId}
			// A card in use does not collapse by itself.
			onFocus={() => setChoice(isExpanded)}
			onClick={() => {
				const isUnseen = push.interruption_level === 'critical' && !memory.isSeen;
				if (isUnseen) void remember(key, { isSeen: true });
			}}
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
			<AnswerLine answer={push.answer} question={question} tap={memory.tap} />
			<TapResult tap={memory.tap} hasAnswer={question !== undefined} />
			{isExpanded && (
				<div className="notification-more">
					{push.message && (
						<div className="notification-message is-selectable" dir="auto">
							<MessageText text={whole.text ?? ''} isMarkdown={isMarkdown(push)} />
							<MissingRest {...whole} />
						</div>
					)}
					{media !== undefined && <MediaPreview url={media} />}
					{actions.length > 0 && (
						<ActionButtons
							buttons={actions}
							of={push.title}
							tap={memory.tap}
							onTap={(action, { title, type }) => {
								const request = { tap_id: uuid(), delivery_id: id, action };
								onTap({ kind: 'tap', title, request }, type === 'open_url');
							}}
						/>
					)}
					{/* A question can be answered only where all of it is shown. */}
					{question && whole.missing === undefined && (
						<QuestionPart
							question={question}
							memory={memory}
							of={push.title}
							userId={userId}
							clockOffset={clockOffset}
							onTap={onTap}
						/>
					)}
					<Tags tags={push.tags ?? []} />
					<CardTools
						of={push.title}
						text={allText({ ...push, message: whole.text })}
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
			<Link className="notification-body" link={link}>
				{children}
			</Link>
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

export function Level({ level }: { level: Push['interruption_level'] }) {
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
