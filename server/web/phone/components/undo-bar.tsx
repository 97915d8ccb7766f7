import { useEffect } from 'react';
import type { Dismissed } from '../hooks/use-dismissals.ts';
import { takeLostFocus } from '../keep-focus.ts';

/** Shows what was dismissed, with a button to restore it. */
export function UndoBar({ dismissed }: { dismissed: Dismissed | undefined }) {
	// The button disappears with the bar.
	useEffect(() => {
		if (dismissed === undefined) takeLostFocus();
	}, [dismissed]);
	return (
		<div className="undo-bar" role="status">
			{dismissed && (
				<div className="bar-words">
					<span>{dismissed.words}</span>
					{dismissed.undo && (
						<button type="button" className="pill-button" onClick={dismissed.undo}>
							Undo
						</button>
					)}
				</div>
			)}
		</div>
	);
}
