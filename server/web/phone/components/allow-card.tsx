import { useRef, useState } from 'react';
import type { Push } from '../hooks/use-push.ts';
import { passFocusOn, takeLostFocus } from '../keep-focus.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface AllowCardProps {
	push: Push;
	/** The person has decided. */
	onDone: () => void;
}

/** Shown after pairing: offers notifications. Only its button triggers the browser's own prompt. */
export function AllowCard({ push, onDone }: AllowCardProps) {
	const card = useRef<HTMLElement>(null);
	const [step, setStep] = useState<'offering' | 'asking' | 'asked'>('offering');
	const { state } = push;
	const isRefused = step === 'asked' && (state.kind === 'denied' || state.kind === 'failed');
	if (state.kind !== 'ask' && state.kind !== 'needs-install' && !isRefused && step !== 'asking')
		return null;
	const canAsk = state.kind === 'ask' || state.kind === 'failed';
	const allow = async () => {
		setStep('asking');
		const { kind } = await push.turnOn();
		setStep('asked');
		if (kind === 'on') onDone();
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
				<span role="status">{toWords(push, step === 'asked')}</span>
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
						onDone();
					}}
				>
					{state.kind === 'denied' ? 'OK' : 'Not now'}
				</button>
			</div>
		</section>
	);
}

/** The offer; or why it has failed, and what to do. */
function toWords({ state }: Push, wasAsked: boolean): string {
	if (state.kind === 'needs-install')
		return 'To get notified when Beckon is closed, tap Share, then “Add to Home Screen”. Open Beckon from there and pair it with a new code.';
	if (!wasAsked) return 'Get notified even when Beckon is closed.';
	if (state.kind === 'failed') return `Not turned on: ${state.message}`;
	if (state.kind === 'denied')
		return 'Not turned on: notifications are blocked for this site. Allow them in the browser’s settings for this site, then reopen this page.';
	return 'Not turned on: the browser was not given an answer. Try again, and choose “Allow” when it asks.';
}
