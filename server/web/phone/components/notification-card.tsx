import { memo, useId, useRef, useState } from 'react';
import type { TapResponse } from '../../../src/contract/device.ts';
import type { Notification as Push } from '../../../src/contract/shown.ts';
import { useSwipe } from '../hooks/use-swipe.ts';
import { passFocusOn } from '../keep-focus.ts';
import type { ShownNotification } from '../lock-screen-state.ts';
import { safeLink, safeMediaUrl } from '../safe-url.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { ActionButtons } from './action-buttons.tsx';
import { AnswerLine } from './answer-line.tsx';
import { AppIcon } from './app-icon.tsx';
import { CloseButton } from './close-button.tsx';
import { MediaPreview, MediaThumbnail } from './media-preview.tsx';
import { RelativeTime } from './relative-time.tsx';

interface NotificationCardProps {
	notification: ShownNotification;
	clockOffset: number;
	/** Starts expanded, until the person collapses it. */
	isUnfolded?: boolean;
	onDismiss: (id: number) => void;
	onTap: (deliveryId: number, index: number) => Promise<TapResponse>;
}

/**
 * Characters on a line of the collapsed card, roughly. The title and the subtitle have one line each, the message
 * has two.
 */
const LINE = 45;

/** A push. Tapping the body opens its target; the chevron reveals media, buttons and the full text. */
export const NotificationCard = memo(function NotificationCard({
	notification: { id, sent_at, push, held },
	clockOffset,
	isUnfolded = false,
	onDismiss,
	onTap,
}: NotificationCardProps) {
	const card = useRef<HTMLElement>(null);
	const titleId = useId();
	const [choice, setChoice] = useState<boolean>();
	const isExpanded = choice ?? isUnfolded;
	const dismiss = () => {
		passFocusOn(card.current);
		onDismiss(id);
	};
	useSwipe(card, dismiss);

	const media = safeMediaUrl(push.media);
	const actions = push.actions ?? [];
	const isExpandable =
		media !== undefined ||
		actions.length > 0 ||
		(push.tags?.length ?? 0) > 0 ||
		push.title.length > LINE ||
		(push.subtitle?.length ?? 0) > LINE ||
		(push.message?.length ?? 0) > 2 * LINE ||
		(push.message?.includes('\n') ?? false);
	const toggle = () => setChoice(!isExpanded);
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
				<Body push={push} onToggle={isExpandable ? toggle : undefined}>
					<Level level={push.interruption_level} />
					{held && <span className="level">Held back</span>}
					<span className="notification-title" id={titleId} dir="auto">
						{push.title}
					</span>
					{push.subtitle && (
						<span className="notification-subtitle" dir="auto">
							{push.subtitle}
						</span>
					)}
					{push.message && (
						<span className="notification-message" dir="auto">
							{push.message}
						</span>
					)}
				</Body>
				<div className="notification-side">
					<div className="notification-when">
						<RelativeTime at={sent_at} clockOffset={clockOffset} />
						{isExpandable && (
							<button
								type="button"
								className="expand-button"
								aria-expanded={isExpanded}
								aria-label={`${isExpanded ? 'Collapse' : 'Expand'} notification: ${push.title}`}
								onClick={toggle}
							>
								<Glyph name="chevron" />
							</button>
						)}
					</div>
					{media !== undefined && !isExpanded && <MediaThumbnail url={media} />}
				</div>
			</div>
			{isExpanded && (
				<div className="notification-more">
					{media !== undefined && <MediaPreview url={media} />}
					{actions.length > 0 && <ActionButtons buttons={actions} of={push.title} onTap={tap} />}
					<Tags tags={push.tags ?? []} />
				</div>
			)}
			<AnswerLine answer={push.answer} />
		</article>
	);
});

interface BodyProps {
	push: Push;
	/** If the body has no link, tapping it expands the card, when there is more to see. */
	onToggle: (() => void) | undefined;
	children: React.ReactNode;
}

function Body({ push, onToggle, children }: BodyProps) {
	const link = safeLink(push.redirection) ?? safeLink(safeMediaUrl(push.media));
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
