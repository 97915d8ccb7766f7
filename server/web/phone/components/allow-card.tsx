import { useState } from 'react';
import type { Push } from '../hooks/use-push.ts';
import { Glyph } from '../symbols/symbol.tsx';

interface AllowCardProps {
	push: Push;
	onLater: () => void;
}

/** Shown after pairing: offers notifications. Only its button triggers the browser's own prompt. */
export function AllowCard({ push, onLater }: AllowCardProps) {
	const [isAsking, setIsAsking] = useState(false);
	const { kind } = push.state;
	if (kind !== 'ask' && kind !== 'needs-install') return null;
	const allow = async () => {
		setIsAsking(true);
		await push.turnOn();
		setIsAsking(false);
	};
	return (
		<section className="card allow" aria-label="Notifications on this phone" data-flip="allow">
			<p className="allow-text">
				<Glyph name="bell" />
				{kind === 'ask'
					? 'Get notifications while this page is closed, too.'
					: 'For notifications while this page is closed: tap Share, then “Add to Home Screen”. Open Beckon from there, and pair it with a new code.'}
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
				<button type="button" className="text-button" onClick={onLater}>
					Not now
				</button>
			</div>
		</section>
	);
}
