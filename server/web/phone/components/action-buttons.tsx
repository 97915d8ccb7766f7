import type { Button } from '../../../src/contract/shown.ts';
import { tapText } from '../../device/answers.ts';
import { safeLink } from '../../device/safe-url.ts';
import type { RememberedTap } from '../storage.ts';
import { Glyph } from '../symbols/symbol.tsx';
import { Link } from './link.tsx';

interface ActionButtonsProps {
	buttons: Button[];
	/** Title of the card, to tell its buttons from others with the same title. */
	of: string;
	/** The last tap on the card. */
	tap: RememberedTap | undefined;
	/** By their index, as a tap names them. */
	names?: readonly string[];
	/** Reports the tap on the button at `index` to the server, which calls a webhook. */
	onTap: (index: number, button: Button) => void;
}

/** The buttons of a notification or Live Activity. */
export function ActionButtons({ buttons, of, tap, names, onTap }: ActionButtonsProps) {
	return (
		<div className="actions">
			<div className="action-row" data-count={buttons.length}>
				{buttons.map((button, index) =>
					button.type === 'open_url' ? (
						<LinkButton key={index} button={button} of={of} onOpen={() => onTap(index, button)} />
					) : (
						<CallButton
							key={index}
							name={names?.[index] ?? String(index)}
							title={button.title}
							of={of}
							isClosed={button.closed === true}
							tap={tap}
							onTap={() => onTap(index, button)}
						/>
					),
				)}
			</div>
		</div>
	);
}

export const isUnsent = (tap: RememberedTap | undefined) =>
	tap?.outcome === 'pending' || tap?.outcome === 'queued';

interface TapResultProps {
	tap: RememberedTap | undefined;
	/** True on the card of a question, which shows the answer itself. */
	hasAnswer?: boolean;
}

/** The outcome of the last tap on a card, or a note that it is still to be sent. */
export function TapResult({ tap, hasAnswer = false }: TapResultProps) {
	const { outcome } = tap ?? {};
	return (
		<p className="action-result" role="status" data-kind={outcome}>
			{outcome === 'queued' &&
				`No connection. ${tap?.title ? `“${tap.title}”` : 'Your answer'} will be sent.`}
			{tap &&
				!isUnsent(tap) &&
				!(hasAnswer && outcome === 'called') &&
				tapText({ ...tap, outcome: tap.outcome === 'refused' ? 'refused' : 'called' }, Date.now())}
		</p>
	);
}

interface LinkButtonProps {
	button: Pick<Button, 'title' | 'url'>;
	of: string;
	onOpen?: () => void;
}

export function LinkButton({ button, of, onOpen }: LinkButtonProps) {
	const link = safeLink(button.url);
	const look = {
		className: 'action',
		'aria-label': `${button.title}: ${of}`,
		children: (
			<span className="action-title" dir="auto">
				{button.title}
			</span>
		),
	};
	if (link) return <Link {...look} link={link} onClick={onOpen} />;
	return <button {...look} type="button" disabled title="This link is not allowed on the phone" />;
}

interface CallButtonProps {
	/** As a tap names it. */
	name: string;
	title: string;
	of: string;
	isClosed: boolean;
	isDestructive?: boolean | undefined;
	/** The last tap on the card; until it is sent, no other is accepted. */
	tap: RememberedTap | undefined;
	onTap: () => void;
}

export function CallButton({
	name,
	title,
	of,
	isClosed,
	isDestructive = false,
	tap,
	onTap,
}: CallButtonProps) {
	const kind = tap?.button === name ? tap.outcome : undefined;
	const isBusy = isUnsent(tap);
	return (
		<button
			type="button"
			className="action"
			aria-label={`${title}: ${of}`}
			data-state={kind}
			data-destructive={isDestructive}
			disabled={isClosed}
			aria-busy={kind === 'pending'}
			aria-disabled={isBusy}
			onClick={isBusy ? undefined : onTap}
		>
			{kind === 'pending' && <span className="spinner" />}
			{kind === 'queued' && <Glyph name="clock" />}
			{kind === 'called' && <Glyph name="check" />}
			{(kind === 'failed' || kind === 'refused') && <Glyph name="warning" />}
			{kind === 'unclear' && <Glyph name="question" />}
			<span className="action-title" dir="auto">
				{title}
			</span>
		</button>
	);
}
