import type { TapResponse } from '../../../src/contract/device.ts';
import type { Button } from '../../../src/contract/shown.ts';
import { type TapState, useLastTap } from '../hooks/use-last-tap.ts';
import { safeLink } from '../../device/safe-url.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface ActionButtonsProps {
	buttons: Button[];
	/** Title of the card, to tell its buttons from others with the same title. */
	of: string;
	/** Reports the tap on the button at `index` to the server, which calls a webhook. */
	onTap: (index: number) => Promise<TapResponse>;
}

/** The buttons of a notification or Live Activity, with the result of the last tap. */
export function ActionButtons({ buttons, of, onTap }: ActionButtonsProps) {
	const last = useLastTap();
	const report = (index: number) => {
		// The page has opened; a failed report to the server need not bother the person.
		onTap(index).catch(() => undefined);
	};

	return (
		<div className="actions">
			<div className="action-row" data-count={buttons.length}>
				{buttons.map((button, index) =>
					button.type === 'open_url' ? (
						<LinkButton key={index} button={button} of={of} onOpen={() => report(index)} />
					) : (
						<CallButton
							key={index}
							title={button.title}
							of={of}
							isClosed={button.closed === true}
							state={last.stateOf(index)}
							onTap={() => void last.follow(index, onTap(index))}
						/>
					),
				)}
			</div>
			<TapResult state={last.state} />
		</div>
	);
}

/** What became of the last tap. */
export function TapResult({ state }: { state: TapState | undefined }) {
	return (
		<p className="action-result" role="status" data-kind={state?.kind}>
			{state !== undefined && state.kind !== 'pending' && state.message}
		</p>
	);
}

interface LinkButtonProps {
	button: Pick<Button, 'title' | 'url'>;
	of: string;
	onOpen?: () => void;
}

/** A real link: it opens within the click itself, so no pop-up blocker interferes. */
export function LinkButton({ button, of, onOpen }: LinkButtonProps) {
	const name = `${button.title}: ${of}`;
	const link = safeLink(button.url);
	if (link === undefined) {
		return (
			<button
				type="button"
				className="action"
				aria-label={name}
				disabled
				title="This link is not allowed on the phone"
			>
				<span className="action-title" dir="auto">
					{button.title}
				</span>
			</button>
		);
	}
	return (
		<a
			className="action"
			aria-label={name}
			href={link.href}
			target={link.isWeb ? '_blank' : undefined}
			rel="noopener noreferrer"
			onClick={onOpen}
		>
			<span className="action-title" dir="auto">
				{button.title}
			</span>
		</a>
	);
}

interface CallButtonProps {
	title: string;
	of: string;
	isClosed: boolean;
	isDestructive?: boolean | undefined;
	state: TapState | undefined;
	onTap: () => void;
}

export function CallButton({
	title,
	of,
	isClosed,
	isDestructive = false,
	state,
	onTap,
}: CallButtonProps) {
	const isPending = state?.kind === 'pending';
	return (
		<button
			type="button"
			className="action"
			aria-label={`${title}: ${of}`}
			data-state={state?.kind}
			data-destructive={isDestructive}
			disabled={isClosed}
			aria-busy={isPending}
			aria-disabled={isPending}
			onClick={isPending ? undefined : onTap}
		>
			{isPending && <span className="spinner" />}
			{state?.kind === 'called' && <Glyph name="check" />}
			{(state?.kind === 'failed' || state?.kind === 'refused') && <Glyph name="warning" />}
			{state?.kind === 'unclear' && <Glyph name="question" />}
			<span className="action-title" dir="auto">
				{title}
			</span>
		</button>
	);
}
