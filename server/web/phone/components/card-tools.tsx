import { useRef, useState } from 'react';
import type { SnoozeRequest } from '../../../src/contract/device.ts';
import { snoozes } from '../../device/snoozes.ts';
import { CopyButton } from './rich-text.tsx';

interface CardToolsProps {
	/** Title of the card, to tell its buttons from others with the same title. */
	of: string;
	text: string;
	/** Undefined: it cannot be snoozed. */
	onSnooze: ((until: SnoozeRequest['until']) => void) | undefined;
}

/** At the foot of an opened card: copies its text, and takes it away until later. */
export function CardTools({ of, text, onSnooze }: CardToolsProps) {
	const [isChoosing, setIsChoosing] = useState(false);
	const choices = useRef<HTMLDivElement>(null);
	const choose = () => {
		setIsChoosing(!isChoosing);
		if (!isChoosing) requestAnimationFrame(() => choices.current?.querySelector('button')?.focus());
	};
	return (
		<div className="card-tools">
			{onSnooze && (
				<button
					type="button"
					className="text-button"
					aria-expanded={isChoosing}
					aria-label={`Snooze: ${of}`}
					onClick={choose}
				>
					Snooze
				</button>
			)}
			<CopyButton className="text-button" label="Copy text" name={`Copy text: ${of}`} text={text} />
			{onSnooze && isChoosing && (
				<div className="action-row" role="group" aria-label="Snooze until" ref={choices}>
					{snoozes(new Date()).map(([until, words]) => (
						<button key={until} type="button" className="action" onClick={() => onSnooze(until)}>
							{words}
						</button>
					))}
				</div>
			)}
		</div>
	);
}
