import { useRef, useState } from 'react';
import type { Push } from '../hooks/use-push.ts';
import { passFocusOn, takeLostFocus } from '../keep-focus.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface AllowCardProps {
	push: Push;
	/** Notifications were on, and the browser has turned them off. */
	hasStopped: boolean;
	/** The person has decided; `isDeclined`: not to be asked again. */
	onDone: (isDeclined: boolean) => void;
}

/**
 * Shown after pairing, and once notifications have stopped or failed: offers them. Only its button triggers the
 * browser's prompt.
 */
export function AllowCard({ push, hasStopped, onDone }: AllowCardProps) {
	const card = useRef<HTMLElement>(null);
	const [step, setStep] = useState<'offering' | 'asking' | 'asked'>('offering');
	const { state } = push;
	const isRefused = state.kind === 'failed' || (step === 'asked' && state.kind === 'denied');
	if (state.kind !== 'ask' && state.kind !== 'needs-install' && !isRefused && step !== 'asking')
		return null;
	const canAsk = state.kind === 'ask' || state.kind === 'failed';
	const allow = async () => {
		setStep('asking');
		const { kind } = await push.turnOn();
		setStep('asked');
		if (kind === 'on') onDone(false);
		// The card is gone, and its button with it.
		takeLostFocus();
	};
	return (
		<section
			className="card allow"
			ref={card}
			tabIndex={-1}
			aria-label="Notifications on this phone"
			data-flip="allow"
		>
			<p className="allow-text">
				<Glyph name={isRefused ? 'warning' : 'bell'} />
				<span role="status">{toWords(push, step === 'asked', hasStopped)}</span>
			</p>
			<div className="allow-buttons">
				{canAsk && (
					<button
						type="button"
						className="primary-button"
						disabled={step === 'asking'}
						onClick={() => void allow()}
					>
						{isRefused ? 'Try again' : 'Allow notifications'}
					</button>
				)}
				<button
					type="button"
					className="text-button"
					onClick={() => {
						passFocusOn(card.current);
						onDone(canAsk);
					}}
				>
					{state.kind === 'denied' ? 'OK' : 'Not now'}
				</button>
			</div>
		</section>
	);
}

/** The offer; or why it has failed, and what to do. */
function toWords({ state }: Push, wasAsked: boolean, hasStopped: boolean): string {
	if (state.kind === 'needs-install')
		return 'To get notified when Beckon is closed, tap Share, then “Add to Home Screen”. Open Beckon from there and pair it with a new code.';
	if (state.kind === 'failed') return `Not turned on: ${state.message}`;
	if (!wasAsked && hasStopped)
		return 'Notifications have stopped: this browser has ended them. Allow them again.';
	if (!wasAsked) return 'Get notified even when Beckon is closed.';
	if (state.kind === 'denied')
		return 'Not turned on: notifications are blocked for this site. Allow them in the browser’s settings for this site, then reopen this page.';
	return 'Not turned on: you did not answer the browser. Try again, and choose “Allow” when it asks.';
}
