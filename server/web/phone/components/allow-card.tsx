import { useRef, useState } from 'react';
import type { Push } from '../hooks/use-push.ts';
import { passFocusOn, takeLostFocus } from '../keep-focus.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface AllowCardProps {
	push: Push;
	onLater: () => void;
}

/** Shown after pairing: offers notifications. Only its button triggers the browser's own prompt. */
export function AllowCard({ push, onLater }: AllowCardProps) {
	const card = useRef<HTMLElement>(null);
	const [isAsking, setIsAsking] = useState(false);
	const { kind } = push.state;
	if (kind !== 'ask' && kind !== 'needs-install') return null;
	const allow = async () => {
		setIsAsking(true);
		await push.turnOn();
		setIsAsking(false);
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
				<Glyph name="bell" />
				{kind === 'ask'
					? 'Get notified even when Beckon is closed.'
					: 'To get notified when Beckon is closed, tap Share, then “Add to Home Screen”. Open Beckon from there and pair it with a new code.'}
			</p>
			<div className="allow-buttons">
				{kind === 'ask' && (
					<button
						type="button"
						className="primary-button"
						disabled={isAsking}
						onClick={() => void allow()}
					>
						Allow notifications
					</button>
				)}
				<button
					type="button"
					className="text-button"
					onClick={() => {
						passFocusOn(card.current);
						onLater();
					}}
				>
					Not now
				</button>
			</div>
		</section>
	);
}
