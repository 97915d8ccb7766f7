import { useEffect } from 'react';
import type { Cleared } from '../hooks/use-clear-all.ts';
import { takeLostFocus } from '../keep-focus.ts';

/** Shows what was cleared, with a button to restore it. */
export function UndoBar({ cleared }: { cleared: Cleared | undefined }) {
	// The button disappears with the bar.
	useEffect(() => {
		if (cleared === undefined) takeLostFocus();
	}, [cleared]);
	return (
		<div className="undo-bar" role="status">
			{cleared && (
				<div className="bar-words">
					<span>{cleared.words}</span>
					{cleared.undo && (
						<button type="button" className="pill-button" onClick={cleared.undo}>
							Undo
						</button>
					)}
				</div>
			)}
		</div>
	);
}
